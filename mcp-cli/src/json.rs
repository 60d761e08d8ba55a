//! JSON that keeps the order of members.

use std::io;

use serde::Serialize;
use serde_json::{Deserializer, Serializer};

/// Writes a value indented by two spaces. Raw JSON inside keeps the order of its members.
///
/// # Errors
///
/// If the value has no JSON form, or is nested too deep.
pub(crate) fn pretty(value: &impl Serialize) -> io::Result<String> {
    let compact = serde_json::to_string(value)?;
    let mut text = Vec::with_capacity(2 * compact.len());
    let mut reader = Deserializer::from_str(&compact);
    serde_transcode::transcode(&mut reader, &mut Serializer::pretty(&mut text))?;
    String::from_utf8(text).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use mcp_runtime::types::RawJson;

    use super::*;

    #[test]
    fn members_keep_their_order() {
        let raw = RawJson::from_text(r#"{"b":[1.50,{}],"a":"\u00e9"}"#).unwrap();
        let expected = "{\n  \"b\": [\n    1.5,\n    {}\n  ],\n  \"a\": \"é\"\n}";
        assert_eq!(pretty(&raw).unwrap(), expected);
    }
}
