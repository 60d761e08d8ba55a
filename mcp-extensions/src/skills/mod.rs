//! Skills (`io.modelcontextprotocol/skills`): instructions with supporting files that a server
//! ships for its use.

mod client;
mod front_matter;
mod limits;
mod server;
mod types;
mod uri;

pub use types::{Digest, ID, SkillEntry, SkillFile, SkillFiles};
