//! Values that no schema allows: mixtures of values of several revisions, with foreign parts.

use crate::cases::RAW;
use crate::from_schema::{Source, sent_and_read};
use crate::judge::Judge;
use mcp_types::Revision;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) struct Mixer(TestRng);

impl Mixer {
    pub(crate) fn new(seed: [u8; 32]) -> Self {
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
    }

    /// Mixes the values of two revisions at `places`, and adds some parts that neither allows.
    pub(crate) fn value(
        &mut self,
        judges: &BTreeMap<Revision, Judge>,
        places: &[(Revision, &str)],
    ) -> Value {
        let [one, other] = [(), ()].map(|()| {
            let (revision, pointer) = places[self.below(places.len())];
            let schema = &judges[&revision].schema;
            let mut seed = [0; 32];
            self.0.fill_bytes(&mut seed);
            let at = schema.pointer(pointer).unwrap();
            let value = Source::new(&schema["$defs"], seed).value(at, 0);
            sent_and_read(&value).1
        });
        let mut mixture = self.mixed(one, other);
        unify_raw(&mut mixture);
        if self.below(2) == 0 {
            self.disturb(&mut mixture);
        }
        mixture
    }

    /// Merges the members of two objects, or chooses one of two values.
    fn mixed(&mut self, one: Value, other: Value) -> Value {
        match (one, other) {
            (Value::Object(mut one), Value::Object(other)) => {
                for (name, member) in other {
                    let member = match one.remove(&name) {
                        Some(known) if !RAW.contains(&&*name) => self.mixed(known, member),
                        _ => member,
                    };
                    one.insert(name, member);
                }
                Value::Object(one)
            }
            (one, other) => match self.below(2) {
                0 => one,
                _ => other,
            },
        }
    }

    /// Replaces parts with values of the same JSON type that few schemas allow.
    fn disturb(&mut self, json: &mut Value) {
        match json {
            Value::String(text) if self.below(8) == 0 => *text = "unheard-of".to_owned(),
            Value::Number(number) if self.below(4) == 0 => {
                let far = [json!(-3), json!(u64::MAX), json!(1e20), json!(1e300)];
                if let Value::Number(far) = &far[self.below(4)] {
                    number.clone_from(far);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.disturb(item)),
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    if !RAW.contains(&name.as_str()) {
                        self.disturb(member);
                    }
                }
                if self.below(8) == 0 {
                    members.insert("org.example/a".to_owned(), json!({"b": [null]}));
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.next_u32() as usize % end
    }
}

/// Turns the objects that the model keeps as text into schemas that are valid in all revisions.
fn unify_raw(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, member) in members {
                if RAW.contains(&name.as_str()) && member.is_object() {
                    *member = json!({"type": "object"});
                } else {
                    unify_raw(member);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unify_raw),
        _ => {}
    }
}
