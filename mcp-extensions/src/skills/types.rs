//! Messages of the extension (ext-skills, "Skill Entries").

use std::fmt;
use std::str::FromStr;

use mcp_runtime::Revision;
use mcp_runtime::types::JsonObject;
use ring::digest::{SHA256, digest};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The identifier of the extension.
pub const ID: &str = "io.modelcontextprotocol/skills";

pub(super) const LIST: &str = "skills/list";
pub(super) const GET: &str = "skills/get";
pub(super) const DIRECTORY: &str = "resources/directory/read";
/// The file that makes a directory a skill.
pub(super) const SKILL_MD: &str = "SKILL.md";
/// The media type of directories.
pub(super) const DIRECTORY_TYPE: &str = "inode/directory";
/// The setting that declares `resources/directory/read`.
pub(super) const DIRECTORY_READ: &str = "directoryRead";

/// Returns true if `revision` has extensions in its capabilities.
pub(super) fn is_offered(revision: Revision) -> bool {
    revision >= Revision::V2025_11_25
}

/// The parameters of a list.
#[derive(Deserialize)]
pub(super) struct PageParams {
    pub(super) cursor: Option<String>,
}

/// The parameters of `skills/get` and `resources/directory/read`.
#[derive(Deserialize)]
pub(super) struct UriParams {
    pub(super) uri: String,
    pub(super) cursor: Option<String>,
}

/// The entry of a skill, which `skills/list` and `skills/get` return (Skill Entries).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillEntry {
    /// The URI of the skill's `SKILL.md`, unique on its server.
    pub uri: String,
    /// The front matter of `SKILL.md`. It has at least `name` and `description`.
    pub frontmatter: JsonObject,
    /// The files of the skill.
    pub resources: SkillFiles,
}

impl SkillEntry {
    /// Returns the name, which is a label: two skills may have the same.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// Returns what the skill does, and when to use it.
    #[must_use]
    pub fn description(&self) -> &str {
        self.text("description")
    }

    /// Returns a fingerprint of the URI and digest of every file, to which an approval can be bound
    /// (Security Considerations, "Content-bound approval"). If any file is changed, added or removed,
    /// the fingerprint is another. `None` for a dynamic skill, whose approval can't be kept.
    #[must_use]
    pub fn fingerprint(&self) -> Option<String> {
        let SkillFiles::Listed(files) = &self.resources else {
            return None;
        };
        let mut pairs: Vec<_> = files.iter().map(|it| (&it.uri, &it.digest)).collect();
        pairs.sort_unstable();
        let json = serde_json::to_vec(&pairs).ok()?;
        Some(Digest::of(&json).to_string())
    }

    fn text(&self, field: &str) -> &str {
        let value = self.frontmatter.get(field);
        value.and_then(|it| it.as_str()).unwrap_or_default()
    }
}

/// Returns true if Agent Skills allows `name` as the name of a skill.
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let mut letters = part.bytes();
        !part.is_empty() && letters.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    name.len() <= 64 && name.split('-').all(is_part)
}

/// The files of a skill (Resources).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillFiles {
    /// All files, including `SKILL.md`.
    Listed(Vec<SkillFile>),
    /// The files are generated, so their digests are not known before they are read.
    Dynamic,
}

const DYNAMIC: &str = "dynamic";

impl Serialize for SkillFiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Listed(files) => files.serialize(serializer),
            Self::Dynamic => DYNAMIC.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SkillFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(word) if word == DYNAMIC => Ok(Self::Dynamic),
            files @ serde_json::Value::Array(_) => serde_json::from_value(files)
                .map(Self::Listed)
                .map_err(D::Error::custom),
            _ => Err(D::Error::custom(
                "`resources` must be a list of files or the string \"dynamic\"",
            )),
        }
    }
}

/// A file of a skill, with the digest and size of its contents (Skill Entries, `SkillResource`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillFile {
    /// The URI of the file.
    pub uri: String,
    /// The digest of the file's bytes.
    pub digest: Digest,
    /// The number of bytes.
    pub size: u64,
}

/// A SHA-256 digest, written `sha256:` and 64 hexadecimal digits in lower case (Integrity and
/// Verification).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// Computes the digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let octets = digest(&SHA256, bytes);
        let digits = octets.as_ref().iter().map(|octet| format!("{octet:02x}"));
        Self(format!("sha256:{}", digits.collect::<String>()))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error of a string that is not a [`Digest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest must be `sha256:` and 64 hexadecimal digits in lower case")]
pub struct InvalidDigest;

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let digits = text.strip_prefix("sha256:").unwrap_or_default().bytes();
        let is_digest = digits.len() == 64
            && digits
                .into_iter()
                .all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        is_digest
            .then(|| Self(text.to_owned()))
            .ok_or(InvalidDigest)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_back_and_other_strings_are_refused() {
        let digest = Digest::of(b"");
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        for wrong in [
            "",
            "sha256:",
            &text[7..],
            &text[..70],
            &format!("{text}0"),
            &format!("{text}00"),
            &text.to_uppercase(),
            &text.replace("e3", "E3"),
            &text.replace("e3", "g3"),
            &text.replace("e3", "é"),
            &text.replace("256", "512"),
        ] {
            assert_eq!(wrong.parse::<Digest>(), Err(InvalidDigest), "{wrong}");
        }
    }

    #[test]
    fn files_are_a_list_or_one_word() {
        let read = serde_json::from_str::<SkillFiles>;
        assert_eq!(read("[]").unwrap(), SkillFiles::Listed(Vec::new()));
        assert_eq!(read(r#""dynamic""#).unwrap(), SkillFiles::Dynamic);
        for wrong in ["null", "{}", "1", r#""static""#, r#""Dynamic""#, "[1]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
