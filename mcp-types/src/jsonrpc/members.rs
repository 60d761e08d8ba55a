//! Adds members to the `_meta` of parameters.

use serde::Serialize;

use crate::{OrderedMap, RawJson, RawJsonRef};

/// The members of an object, with undecoded values.
type Members<'a> = OrderedMap<RawJsonRef<'a>>;

/// Returns `params` with `members` (`"a":1,"b":2`) added to its `_meta`. Existing members with the
/// same names are replaced.
///
/// # Errors
///
/// When `params` or its `_meta` is not an object, or `members` are not members of an object.
pub(super) fn with_meta(
    params: &(impl Serialize + ?Sized),
    members: &str,
) -> serde_json::Result<RawJson> {
    let params = RawJson::new(params)?;
    let mut params: Members<'_> = params.parse()?;
    let mut meta: Members<'_> = match params.get("_meta") {
        Some(meta) => meta.parse()?,
        None => Members::new(),
    };
    let added = format!("{{{members}}}");
    meta.extend(serde_json::from_str::<Members<'_>>(&added)?);
    let meta = RawJson::encode(&meta);
    params.insert("_meta".to_owned(), meta.as_raw());
    RawJson::new(&params)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_members(object: &str) -> serde_json::Result<String> {
        let object = RawJson::from_text(object).unwrap();
        with_meta(&object, r#""a":1"#).map(|params| params.get().to_owned())
    }

    #[test]
    fn an_object_without_meta_gets_one() {
        assert_eq!(with_members("{}").unwrap(), r#"{"_meta":{"a":1}}"#);
        let with = with_members(r#"{"name":"add"}"#).unwrap();
        assert_eq!(with, r#"{"name":"add","_meta":{"a":1}}"#);
    }

    #[test]
    fn members_join_those_that_were_there() {
        let with = with_members(r#"{"_meta":{"a":0,"b":2},"name":"add"}"#).unwrap();
        assert_eq!(with, r#"{"_meta":{"a":1,"b":2},"name":"add"}"#);
        let with = with_members(r#"{"\u005fmeta":{"b":2}}"#).unwrap();
        assert_eq!(with, r#"{"_meta":{"b":2,"a":1}}"#);
    }

    #[test]
    fn a_lookalike_deeper_down_stays() {
        let with = with_members(r#"{"arguments":{"_meta":[]}}"#).unwrap();
        assert_eq!(with, r#"{"arguments":{"_meta":[]},"_meta":{"a":1}}"#);
    }

    #[test]
    fn what_is_not_an_object_is_refused() {
        assert!(with_members("[1]").is_err());
        assert!(with_members(r#"{"_meta":1}"#).is_err());
    }
}
