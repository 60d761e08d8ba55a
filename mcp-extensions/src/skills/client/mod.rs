//! The client side: reads skills, and verifies what it reads.
//!
//! An entry is checked as a whole before anything else is done with it (`manifest.rs`). A file is
//! looked up in the checked entry, requested, and compared with the entry, in this order
//! (`open_skill.rs`). So bytes that the entry does not describe never reach the host.

mod contents;
mod error;
mod extension;
mod file_uri;
mod listing;
mod manifest;
mod open_skill;
mod requests;
mod server_skills;

pub use contents::SkillContents;
pub use error::SkillError;
pub use extension::{ReadSkills, SkillsClient};
pub use listing::{InvalidSkill, SkillDirectory, SkillListing};
pub use open_skill::OpenSkill;
pub use server_skills::ServerSkills;
