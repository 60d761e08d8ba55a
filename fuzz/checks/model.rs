//! What must hold for every type of the model, whatever JSON it is read from.
//!
//! Decoding never panics. What was decoded can be encoded, and that decodes to
//! an equal value which encodes to the same text, on one line where it is written as
//! a message.

use mcp_types::jsonrpc::write;
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

fn check_type<T: Debug + DeserializeOwned + PartialEq + Serialize>(text: &str) {
    let Ok(value) = serde_json::from_str::<T>(text) else {
        return;
    };
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
