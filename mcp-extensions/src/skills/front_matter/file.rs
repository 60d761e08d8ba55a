//! From the bytes of a `SKILL.md` to its front matter.

use super::{FrontMatter, Remark, yaml};
use crate::skills::limits::MAX_FRONT_MATTER;

const NO_START: &str = "the file must begin with a line `---`: write it, then `name: …` and \
                        `description: …`, and another line `---`";
const NO_END: &str = "the front matter has no end: write a line `---` below its last field";
const TOO_LONG: &str = "the front matter is longer than 64 KiB: move text below its last `---`";
const NOT_UTF_8: &str = "the file is not UTF-8: save it as UTF-8";
const CARRIAGE_RETURN: &str = "a line ends with CR: end it with LF or CRLF";
const BLANKS: &str = "FastMCP refuses blanks after the last `---`: remove them";

/// Reads the front matter of a `SKILL.md`.
///
/// # Errors
///
/// All faults up to the first place that is not YAML. `check` finds the faults of the fields.
pub(in crate::skills) fn parse(skill_md: &[u8]) -> Result<FrontMatter, Vec<Remark>> {
    let (yaml, end) = split(skill_md).map_err(|fault| vec![fault])?;
    let mut front_matter = yaml::read(yaml)?;
    if end != "---" {
        let line = yaml.lines().count() + 1;
        front_matter.warnings.push(Remark::new(line, BLANKS));
    }
    Ok(front_matter)
}

/// Returns the text up to the line that ends the front matter, and that line.
fn split(skill_md: &[u8]) -> Result<(&str, &str), Remark> {
    let text = str::from_utf8(skill_md).map_err(|error| {
        let valid = skill_md[..error.valid_up_to()].iter();
        Remark::new(valid.filter(|it| **it == b'\n').count() + 1, NOT_UTF_8)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.starts_with("---\n") && !text.starts_with("---\r\n") {
        return Err(Remark::new(1, NO_START));
    }
    let mut length = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        if index > 0 && content.trim_end_matches([' ', '\t']) == "---" {
            return Ok((&text[..length], content));
        }
        length += line.len();
        if length > MAX_FRONT_MATTER {
            return Err(Remark::new(index + 1, TOO_LONG));
        }
        if content.contains('\r') {
            return Err(Remark::new(index + 1, CARRIAGE_RETURN));
        }
    }
    Err(Remark::new(text.lines().count(), NO_END))
}
