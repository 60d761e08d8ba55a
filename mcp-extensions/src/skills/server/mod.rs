//! The server side: what it loads, and how it serves it.

mod assemble;
mod directory;
mod extension;
mod fault;
mod published;
mod skill;
mod skills;
mod source;
mod view;

pub use fault::{Finding, LoadError};
pub use published::PublishedSkill;
pub use skill::Skill;
pub use skills::{SkillChanges, Skills};
pub use source::SkillSource;
