//! Members put into an object that is already written.

use crate::json::{self, Scanner, append_encoded};
use crate::{OrderedMap, RawJsonRef};

/// The members of an object, each value as it was written.
type Members<'a> = OrderedMap<RawJsonRef<'a>>;

/// Puts `members` (`"a":1,"b":2`, at least one) into the `_meta` of the object that begins at
/// `start` of `out`. Members of the same name that were there before are replaced.
///
/// # Errors
///
/// When what is there is no object, or its `_meta` is none.
pub(super) fn add_to_meta(
    out: &mut Vec<u8>,
    start: usize,
    members: &str,
) -> serde_json::Result<()> {
    let object = &out[start..];
    if object.starts_with(FIRST) {
        return join(out, start + FIRST.len(), members);
    }
    if may_have_meta(object) || !object.starts_with(b"{") {
        return merge(out, start, members);
    }
    let comma = if object == b"{}" { &b""[..] } else { b"," };
    let mut meta = FIRST.to_vec();
    meta.push(b'{');
    json::append_raw(&mut meta, members);
    meta.extend([b"}", comma].concat());
    out.splice(start..=start, meta);
    Ok(())
}

/// How the message types of this crate begin when they have a `_meta`.
const FIRST: &[u8] = br#"{"_meta":"#;

/// Joins `members` with the object at `start` of `out`; what follows it is not looked at.
fn join(out: &mut Vec<u8>, start: usize, members: &str) -> serde_json::Result<()> {
    let rest = out.split_off(start);
    let text = text(&rest)?;
    let mut scanner = Scanner::new(text);
    let before = scanner
        .value(usize::MAX)
        .map_or(Ok(Members::new()), json::decode)?;
    write_joined(out, before, members)?;
    out.extend_from_slice(&rest[scanner.place()..]);
    Ok(())
}

fn write_joined(out: &mut Vec<u8>, before: Members<'_>, members: &str) -> serde_json::Result<()> {
    let added = format!("{{{members}}}");
    let mut meta = before;
    for (name, value) in json::decode::<Members<'_>>(&added)? {
        meta.insert(name, value);
    }
    append_encoded(out, &meta);
    Ok(())
}

/// What has been written is text.
fn text(written: &[u8]) -> serde_json::Result<&str> {
    std::str::from_utf8(written).map_err(serde::ser::Error::custom)
}

/// A name that is missing as text is missing, unless an escape hides it.
fn may_have_meta(object: &[u8]) -> bool {
    let name = br#""_meta""#;
    object.contains(&b'\\') || object.windows(name.len()).any(|window| window == name)
}

/// The slow way: takes the object apart, and puts it together again.
fn merge(out: &mut Vec<u8>, start: usize, members: &str) -> serde_json::Result<()> {
    let object = out.split_off(start);
    let mut object: Members<'_> = json::decode(text(&object)?)?;
    let before = object.remove("_meta");
    let before = before.map_or(Ok(Members::new()), |meta| json::decode(meta.get()))?;
    out.extend_from_slice(FIRST);
    write_joined(out, before, members)?;
    for (name, value) in object {
        out.push(b',');
        append_encoded(out, &name);
        out.push(b':');
        json::append_raw(out, value.get());
    }
    out.push(b'}');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_members(object: &str) -> serde_json::Result<String> {
        let mut out = b"before ".to_vec();
        let start = out.len();
        out.extend_from_slice(object.as_bytes());
        add_to_meta(&mut out, start, r#""a":1"#)?;
        let text = String::from_utf8(out).unwrap();
        Ok(text.strip_prefix("before ").unwrap().to_owned())
    }

    #[test]
    fn an_object_without_meta_gets_one() {
        assert_eq!(with_members("{}").unwrap(), r#"{"_meta":{"a":1}}"#);
        let with = with_members(r#"{"name":"add"}"#).unwrap();
        assert_eq!(with, r#"{"_meta":{"a":1},"name":"add"}"#);
    }

    #[test]
    fn members_join_those_that_were_there() {
        let with = with_members(r#"{"name":"add","_meta":{"a":0,"b":2}}"#).unwrap();
        assert_eq!(with, r#"{"_meta":{"a":1,"b":2},"name":"add"}"#);
        let with = with_members(r#"{"_meta":{"b":2},"name":"add"}"#).unwrap();
        assert_eq!(with, r#"{"_meta":{"b":2,"a":1},"name":"add"}"#);
        let with = with_members(r#"{"\u005fmeta":{"b":2}}"#).unwrap();
        assert_eq!(with, r#"{"_meta":{"b":2,"a":1}}"#);
    }

    #[test]
    fn a_lookalike_deeper_down_stays() {
        let with = with_members(r#"{"arguments":{"_meta":[]}}"#).unwrap();
        assert_eq!(with, r#"{"_meta":{"a":1},"arguments":{"_meta":[]}}"#);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(with_members("[1]").is_err());
        assert!(with_members(r#"{"_meta":1}"#).is_err());
    }
}
