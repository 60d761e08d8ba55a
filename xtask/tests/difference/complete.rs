//! Tests that the report mentions every difference between two schemas.

use crate::flatten::{Place, flatten};
use crate::report::{Report, stored};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The unions of all messages of one direction. The report mentions their members as methods, with their
/// senders.
const DIRECTIONS: &[&str] = &[
    "ClientNotification",
    "ClientRequest",
    "ServerNotification",
    "ServerRequest",
];

/// Returns the names under which a place of a definition can be mentioned, each with the path.
pub(crate) fn names(definitions: &Value, definition: &str, path: &str) -> Vec<(String, String)> {
    let path = path.strip_prefix('.').unwrap_or(path).to_owned();
    let mut names = vec![(definition.to_owned(), path.clone())];
    if let Some(method) = definitions[definition]["properties"]["method"]["const"].as_str() {
        names.push((method.to_owned(), path.clone()));
    }
    for (_, message) in definitions.as_object().unwrap() {
        let properties = &message["properties"];
        let params = properties["params"]["$ref"].as_str();
        if let (Some(method), Some(params)) = (properties["method"]["const"].as_str(), params)
            && params == format!("#/$defs/{definition}")
        {
            let dot = if path.is_empty() { "" } else { "." };
            names.push((method.to_owned(), format!("params{dot}{path}")));
        }
    }
    names
}

fn is_mentioned(report: &Report, definitions: &Value, place: &Place, keyword: &str) -> bool {
    let trail = place.trail.iter();
    let mut names = trail.flat_map(|(definition, path)| names(definitions, definition, path));
    names.any(|(name, path)| report.came_or_went(&name) || report.mentions(&name, &path, keyword))
}

/// Returns true if params that get or lose a separate definition are mentioned with their method.
fn moved(report: &Report, definitions: &Value, place: &Place, other: &Value) -> bool {
    place
        .trail
        .iter()
        .enumerate()
        .any(|(index, (definition, path))| {
            let is_params = |(_, local): &(String, String)| local == "params";
            let refers = path == ".params" && place.trail.len() == index + 1;
            let moves = refers || other.get(definition).is_none();
            let mut names = names(definitions, definition, "").into_iter();
            moves
                && names.any(|name| {
                    (refers || is_params(&name)) && report.has_note(&name.0, "with params in")
                })
        })
}

/// Returns true if an added or removed member of a direction is mentioned as a method.
fn is_direction(report: &Report, definitions: &Value, place: &Place, value: &str) -> bool {
    let member: Value = serde_json::from_str(value).unwrap_or_default();
    let member = member["$ref"].as_str();
    let listed = member.and_then(|name| name.strip_prefix("#/$defs/"));
    let inside = place.trail.get(1).map(|(member, _)| member.as_str());
    let direction = place.trail.first();
    let is_direction = direction.is_some_and(|(name, _)| DIRECTIONS.contains(&name.as_str()));
    let method = inside
        .or(listed)
        .and_then(|name| definitions[name]["properties"]["method"]["const"].as_str());
    is_direction && method.is_some_and(|method| report.has_note(method, "sent by "))
}

/// Replaces the schema of a direction with a single message, which is a copy of the message's schema, by a
/// union.
fn with_unions_of_one(definitions: &Value) -> Value {
    let mut definitions = definitions.clone();
    for direction in DIRECTIONS {
        let same = |(name, schema): &(&String, &Value)| {
            name != direction && **schema == definitions[*direction]
        };
        let message = definitions.as_object().unwrap().iter().find(same);
        if let Some((name, _)) = message {
            let union = json!({ "anyOf": [{ "$ref": format!("#/$defs/{name}") }] });
            definitions[*direction] = union;
        }
    }
    definitions
}

/// Returns the places that differ but are not mentioned.
fn missing(older: &Value, newer: &Value) -> Vec<String> {
    let report = Report::new(older, newer);
    let older = &with_unions_of_one(older);
    let newer = &with_unions_of_one(newer);
    let before = flatten(older);
    let after = flatten(newer);
    let nothing = Place::default();
    let mut missing = Vec::new();
    let mut differences = 0;
    for path in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        let old = before.get(path).unwrap_or(&nothing);
        let new = after.get(path).unwrap_or(&nothing);
        for (keyword, value) in old.facts.symmetric_difference(&new.facts) {
            differences += 1;
            let sides = [(older, old, newer), (newer, new, older)];
            let found = sides.into_iter().any(|(definitions, place, other)| {
                is_mentioned(&report, definitions, place, keyword)
                    || moved(&report, definitions, place, other)
                    || is_direction(&report, definitions, place, value)
            });
            if !found {
                missing.push(format!("{path}: {keyword} {value}"));
            }
        }
    }
    assert!(differences > 0);
    missing
}

#[test]
fn every_difference_of_the_stored_revisions_is_mentioned() {
    for (from, to) in [
        ("2024-11-05", "2025-03-26"),
        ("2025-03-26", "2025-06-18"),
        ("2025-06-18", "2025-11-25"),
        ("2025-11-25", "2026-07-28"),
        ("2024-11-05", "2026-07-28"),
    ] {
        let missing = missing(&stored(from), &stored(to));
        let first: Vec<_> = missing.iter().take(40).collect();
        assert!(
            missing.is_empty(),
            "{from} → {to}: {} {first:#?}",
            missing.len()
        );
    }
}

#[test]
fn the_way_back_is_as_complete() {
    let missing = missing(&stored("2026-07-28"), &stored("2025-06-18"));
    assert!(missing.is_empty(), "{missing:#?}");
}
