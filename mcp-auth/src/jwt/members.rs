//! JSON objects whose members are distinct.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

/// Parses a JSON object. A repeated member is an error, because two readers might use different
/// values (RFC 7515 §4, RFC 7519 §4). Nested objects are not checked.
pub(crate) fn parse(json: &[u8]) -> Option<Map<String, Value>> {
    let Members(members) = serde_json::from_slice(json).ok()?;
    Some(members)
}

struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Distinct)
    }
}

struct Distinct;

impl<'de> Visitor<'de> for Distinct {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = object.next_entry()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is repeated"));
            }
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_objects_with_distinct_members_are_parsed() {
        assert_eq!(parse(br#"{"a":1,"b":{"a":2}}"#).unwrap().len(), 2);
        for json in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            "[]",
            "1",
            "",
            "{} {}",
        ] {
            assert!(parse(json.as_bytes()).is_none(), "{json}");
        }
    }
}
