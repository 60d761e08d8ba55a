//! Skills (`io.modelcontextprotocol/skills`): instructions with supporting files that a server
//! ships for its use.

mod client;
mod front_matter;
mod limits;
mod server;
mod types;
mod uri;

pub use client::{
    InvalidSkill, OpenSkill, ReadSkills, ServerSkills, SkillContents, SkillDirectory, SkillError,
    SkillListing, SkillsClient,
};
pub use server::{Finding, LoadError, PublishedSkill, Skill, SkillChanges, SkillSource, Skills};
pub use types::{Digest, ID, SkillEntry, SkillFile, SkillFiles};
