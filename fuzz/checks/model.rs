//! Checks the rules for every type of the model, on arbitrary JSON.
//!
//! Decoding never panics. A decoded value can be encoded, and decoding the result gives an equal
//! value with the same encoding. A message is encoded on one line.

use mcp_types::jsonrpc::write;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Panics if any type breaks a rule.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    macro_rules! check_each {
        ($($name:ident)*) => { $(check_type::<mcp_types::$name>(text);)* };
    }
    for_each_type!(check_each);
}

fn check_type<T: Debug + DeserializeOwned + PartialEq + Serialize>(text: &str) {
    let Ok(value) = serde_json::from_str::<T>(text) else {
        return;
    };
    let encoded = serde_json::to_string(&value).expect("a decoded value can be encoded");
    let again: T = match serde_json::from_str(&encoded) {
        Ok(again) => again,
        Err(error) => panic!("{error}: {encoded} as {}", std::any::type_name::<T>()),
    };
    assert_eq!(value, again, "after encoding as {encoded}");
    let encoded_again = serde_json::to_string(&again).expect("a decoded value can be encoded");
    assert_eq!(encoded, encoded_again);
    let mut written = Vec::new();
    write::value(&mut written, &value);
    assert_eq!(encoded.replace(['\n', '\r'], " ").as_bytes(), written);
}
