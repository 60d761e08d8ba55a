//! The limits of skills, each with its unit and reason.
//!
//! A limit that is the default of a setting can be changed by the setting. All others are fixed.

const MIB: usize = 1024 * 1024;

/// Maximum number of files of a skill (Limits).
pub(super) const MAX_FILES: usize = 512;
/// Maximum sum of the sizes of a skill's files (Limits).
pub(super) const MAX_SKILL_BYTES: usize = 16 * MIB;
/// Maximum number of bytes of a front matter, with the line that begins it. Real ones have 1 KiB.
pub(super) const MAX_FRONT_MATTER: usize = 64 * 1024;
/// Maximum number of lists and mappings inside each other. TypeScript's SDK has the same limit.
pub(super) const MAX_FRONT_MATTER_DEPTH: usize = 32;

// Servers.

/// Maximum number of bytes of all files below a directory of skills.
pub(super) const MEMORY_LIMIT: usize = 256 * MIB;
/// Approximate maximum of the bytes of a page of `skills/list`. An entry is never split, so a page
/// with a single entry may be longer.
pub(super) const PAGE_BYTES: usize = MIB;
/// Maximum number of folders around a file that a request looks for a skill in. A URI may have any
/// number of slashes, and a source is asked for each folder.
pub(super) const MAX_FOLDERS: usize = 64;
/// Maximum number of files and folders below a directory of skills, whether or not they belong to a
/// skill.
pub(super) const MAX_ENTRIES: usize = 100_000;
/// Maximum number of folders within each other below a directory of skills. Each is open while the
/// folders in it are read.
pub(super) const MAX_DEPTH: usize = 32;

// Clients.

/// Bytes of verified files that one `ServerSkills` keeps: two of the largest skills.
pub(super) const CACHE_BYTES: usize = 32 * MIB;
/// Maximum number of verified files that one `ServerSkills` keeps: two of the largest skills.
pub(super) const CACHE_FILES: usize = 1024;
