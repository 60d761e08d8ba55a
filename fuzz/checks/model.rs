//! What must hold for every type of the model, whatever JSON it is read from.
//!
//! Decoding never panics. What was decoded can be encoded, and that decodes to
//! an equal value which encodes to the same text. The crate's own reader and
//! writer do what serde_json does.

use mcp_types::jsonrpc::write;
use mcp_types::{Encode, RawJsonRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Panics if a rule is broken for any type.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    macro_rules! check_each {
        ($($name:ident)*) => { $(check_type::<mcp_types::$name>(text);)* };
    }
    for_each_type!(check_each);
}

fn check_type<T: Debug + DeserializeOwned + Encode + PartialEq + Serialize>(text: &str) {
    let read = RawJsonRef::from_text(text).and_then(RawJsonRef::parse::<T>);
    let read_at_once = mcp_types::from_str::<T>(text);
    let value = match serde_json::from_str::<T>(text) {
        Ok(value) => value,
        Err(expected) => {
            assert!(read.is_err(), "only serde_json refuses {text}");
            let found = read_at_once.expect_err("serde_json refuses it, too");
            assert_same(&found, &expected, text);
            return;
        }
    };
    assert_eq!(read.ok().as_ref(), Some(&value), "read from {text}");
    assert_eq!(read_at_once.ok().as_ref(), Some(&value), "read from {text}");
    let encoded = serde_json::to_string(&value).expect("what was decoded can be encoded");
    let again: T = match serde_json::from_str(&encoded) {
        Ok(again) => again,
        Err(error) => panic!("{error}: {encoded} as {}", std::any::type_name::<T>()),
    };
    assert_eq!(value, again, "by way of {encoded}");
    let encoded_again = serde_json::to_string(&again).expect("what was decoded can be encoded");
    assert_eq!(encoded, encoded_again);
    let mut written = Vec::new();
    write::value(&mut written, &value);
    assert_eq!(encoded.replace(['\n', '\r'], " ").as_bytes(), written);
}

/// Panics if the errors differ; what does not fit has a place only where the whole text is known.
fn assert_same(found: &serde_json::Error, expected: &serde_json::Error, text: &str) {
    let (words, expected_words) = (found.to_string(), expected.to_string());
    match expected.line() {
        0 => assert!(words.starts_with(&expected_words), "{words}: {text}"),
        _ => assert_eq!(words, expected_words, "{text}"),
    }
}
