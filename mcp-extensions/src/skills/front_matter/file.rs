//! From the bytes of a `SKILL.md` to its front matter.

use super::{FrontMatter, Remark, yaml};
use crate::skills::limits::MAX_FRONT_MATTER;

const NO_START: &str = "the file must begin with a line `---`: write it, then `name: …` and \
                        `description: …`, and another line `---`";
const NO_END: &str = "the front matter has no end: write a line `---` below its last field";
const TOO_LONG: &str = "the front matter is longer than 64 KiB: move text below its last `---`";
const NOT_UTF_8: &str = "the file is not UTF-8: save it as UTF-8";
const CARRIAGE_RETURN: &str = "a line ends with CR: end it with LF or CRLF";

/// Reads the front matter of a `SKILL.md`.
///
/// # Errors
///
/// All faults up to the first place that is not YAML. `check` finds the faults of the fields.
pub(in crate::skills) fn parse(skill_md: &[u8]) -> Result<FrontMatter, Vec<Remark>> {
    let text = split(skill_md).map_err(|fault| vec![fault])?;
    yaml::read(text)
}

/// Returns the text up to the line that ends the front matter.
fn split(skill_md: &[u8]) -> Result<&str, Remark> {
    let text = str::from_utf8(skill_md).map_err(|error| {
        let lines = skill_md[..error.valid_up_to()].split(|it| *it == b'\n');
        Remark::new(lines.count(), NOT_UTF_8)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.lines().next() != Some("---") {
        return Err(Remark::new(1, NO_START));
    }
    let mut length = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index > 0 && line.trim_end() == "---" {
            return Ok(&text[..length]);
        }
        length += line.len();
        if length > MAX_FRONT_MATTER {
            return Err(Remark::new(index + 1, TOO_LONG));
        }
        if line.lines().any(|it| it.contains('\r')) {
            return Err(Remark::new(index + 1, CARRIAGE_RETURN));
        }
    }
    Err(Remark::new(text.lines().count(), NO_END))
}
