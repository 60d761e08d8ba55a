//! Every fault of arguments that are read as one struct.
//!
//! A decoder stops at the first fault. Where there is one, the struct is decoded once more for
//! each member by itself: what the decoder says of the member's name and value is a fault of the
//! member, what it says afterwards is only that one member is not enough.

use std::cell::Cell;

use mcp_types::RawJsonRef;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, MapAccess};

use super::rules::Rules;
use crate::server::handler::decode;
use crate::server::handler::fault::{Fault, Faults};

/// Why a member of this name and value does not fit.
pub(super) type Probe = fn(&str, RawJsonRef<'_>) -> Option<serde_json::Error>;

/// A [`Probe`] for the members of `T`.
pub(super) fn probe<T: DeserializeOwned>(
    name: &str,
    value: RawJsonRef<'_>,
) -> Option<serde_json::Error> {
    let is_at_fault = Cell::new(false);
    let member = Member {
        name: Some(name),
        value,
        is_at_fault: &is_at_fault,
    };
    let decoded = T::deserialize(MapAccessDeserializer::new(member));
    decoded.err().filter(|_| is_at_fault.get())
}

/// The faults of the object `text`, for which the decoder has `error`.
pub(super) fn faults(
    text: &str,
    error: Option<&serde_json::Error>,
    probe: Probe,
    required: &[(String, String)],
    rules: &Rules,
) -> Faults {
    let mut faults = Faults::default();
    let Ok(members) = RawJsonRef::from_text(text).and_then(RawJsonRef::members) else {
        faults.push(decode::no_object());
        return faults;
    };
    for (index, (name, value)) in members.iter().enumerate() {
        if members[..index].iter().any(|(known, _)| known == name) {
            faults.push(Fault::new(&**name, "given twice"));
        } else if let Some(error) = probe(name, *value) {
            let told = Fault::in_value(name, value.get(), &error);
            faults.push_explained(rules.explain_member(name, value.get()), told);
        }
    }
    for (name, expected) in required {
        if !members.iter().any(|(given, _)| given == name) {
            faults.push(Fault::new(name, format!("missing, expected {expected}")));
        }
    }
    if let Some(error) = error.filter(|_| faults.is_empty()) {
        let found = rules.explain("", text);
        if found.is_empty() {
            faults.push(Fault::in_value("arguments", text, error));
        }
        found.into_iter().for_each(|fault| faults.push(fault));
    }
    faults
}

/// An object with one member.
struct Member<'a> {
    name: Option<&'a str>,
    value: RawJsonRef<'a>,
    is_at_fault: &'a Cell<bool>,
}

impl Member<'_> {
    fn noted<T>(&self, read: serde_json::Result<T>) -> serde_json::Result<T> {
        self.is_at_fault.set(read.is_err());
        read
    }
}

impl<'de> MapAccess<'de> for Member<'de> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> serde_json::Result<Option<K::Value>> {
        let Some(name) = self.name.take() else {
            return Ok(None);
        };
        let key = seed.deserialize(StrDeserializer::new(name));
        self.noted(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> serde_json::Result<V::Value> {
        let mut json = serde_json::Deserializer::from_str(self.value.get());
        let value = seed.deserialize(&mut json);
        self.noted(value)
    }
}
