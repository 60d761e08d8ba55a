//! The client side: reads skills, and verifies what it reads.
//!
//! An entry is checked as a whole before anything else is done with it (`entry.rs`). A file is looked
//! up in the entry, requested, and compared with the entry, in this order (`open_skill.rs`). So bytes
//! that the entry does not describe never reach the host.

mod contents;
mod entry;
mod error;
mod extension;
mod listing;
mod open_skill;
mod server_skills;

pub use contents::SkillContents;
pub use error::SkillError;
pub use extension::SkillsClient;
pub use listing::{InvalidSkill, SkillDirectory, SkillListing};
pub use open_skill::OpenSkill;
pub use server_skills::{ReadSkills, ServerSkills};
