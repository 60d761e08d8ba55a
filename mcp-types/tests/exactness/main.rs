//! Tests that the model matches the schema of each revision exactly.
//!
//! Values that conform to a revision are valid in its closed schema, and values that the schema allows
//! are unchanged after decoding and encoding.
#![allow(clippy::unwrap_used)]

#[rustfmt::skip]
mod cases;
mod from_schema;
mod judge;
mod mixture;
mod support;

use from_schema::{Source, sent_and_read};
use judge::Judge;
use mcp_types::{Revision, integer_digits};
use mixture::Mixer;
use proptest::prelude::{Strategy, any};
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use std::collections::BTreeMap;

/// Number of values for each type and revision, which `MCP_EXACTNESS_VALUES` sets.
fn values() -> usize {
    let more = std::env::var("MCP_EXACTNESS_VALUES").ok();
    more.and_then(|more| more.parse().ok()).unwrap_or(100)
}

fn judges() -> BTreeMap<Revision, Judge> {
    Revision::ALL
        .into_iter()
        .map(|revision| (revision, Judge::new(revision)))
        .collect()
}

fn runner() -> TestRunner {
    TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    )
}

#[test]
fn whatever_conforms_validates() {
    let judges = judges();
    let mut runner = runner();
    for case in cases::cases() {
        let mut judged = vec![0; case.at.len()];
        // Some values have no nearest value, so try more values.
        for _ in 0..values() * 10 {
            if judged.iter().all(|judged| *judged >= values()) {
                break;
            }
            let seed = any::<[u8; 32]>().new_tree(&mut runner).unwrap().current();
            let mixture = Mixer::new(seed).value(&judges, case.at);
            // The model may not be able to represent a mixture of several values.
            let Ok(conformed) = (case.conformed)(&mixture) else {
                continue;
            };
            for (index, json) in conformed.iter().enumerate() {
                let (Some(json), (revision, pointer)) = (json, case.at[index]) else {
                    continue;
                };
                let fault = judges[&revision].fault(pointer, json);
                let name = case.name;
                assert_eq!(fault, None, "{name} in {revision}: {json:#} of {mixture:#}");
                judged[index] += 1;
            }
        }
        assert!(
            judged.iter().all(|judged| *judged >= values()),
            "{}: {judged:?}",
            case.name
        );
    }
}

#[test]
fn whatever_a_schema_allows_comes_through() {
    let judges = judges();
    let mut runner = runner();
    for case in cases::cases() {
        for (revision, pointer) in case.at {
            let judge = &judges[revision];
            let schema = judge.schema.pointer(pointer).unwrap();
            for _ in 0..values() {
                let seed = any::<[u8; 32]>().new_tree(&mut runner).unwrap().current();
                let json = Source::new(&judge.schema["$defs"], seed).value(schema, 0);
                let (json, expected) = sent_and_read(&json);
                let name = case.name;
                assert_eq!(
                    judge.fault(pointer, &json),
                    None,
                    "{name} in {revision}: {json:#}"
                );
                let through = (case.through)(&json);
                let through = through
                    .unwrap_or_else(|error| panic!("{name} in {revision}: {error}: {json:#}"));
                assert_eq!(numbers(through), numbers(expected), "{name} in {revision}");
            }
        }
    }
}

/// Normalizes numbers: 5 and 5.0 are equal, but 2^63 and 2^63 + 1 are not.
fn numbers(json: Value) -> Value {
    match json {
        Value::Number(number) => match integer_digits(&number.to_string()) {
            Some(digits) => digits.into(),
            None => number.into(),
        },
        Value::Array(items) => items.into_iter().map(numbers).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, member)| (name, numbers(member)))
            .collect(),
        other => other,
    }
}

#[test]
fn a_field_of_another_revision_is_caught() {
    let judge = Judge::new(Revision::V2024_11_05);
    let tool = serde_json::json!({"name": "t", "inputSchema": {"type": "object"}});
    assert_eq!(judge.fault("/$defs/Tool", &tool), None);
    let mut titled = tool.clone();
    titled["title"] = "T".into();
    assert!(judge.fault("/$defs/Tool", &titled).is_some());
}
