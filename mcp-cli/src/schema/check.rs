//! Finds the faults of a value.

use mcp_runtime::types::{RawJson, RawJsonRef};
use serde_json::Value;

use super::{Fault, Schema, articles, below, kind_of};
use crate::limits::CHECKED_LEVELS;

impl Schema<'_> {
    pub(crate) fn check(&self, value: &RawJson, path: &str) -> Vec<Fault> {
        self.faults(value.as_raw(), path, 0)
    }

    /// The faults of a value in the alternative that it matches best.
    fn faults(&self, value: RawJsonRef<'_>, path: &str, depth: usize) -> Vec<Fault> {
        let fault = |expected: String| vec![(path.to_owned(), format!("{expected} {value}"))];
        let of_kind = self
            .alternatives()
            .filter(|it| it.alternatives[0].has_kind(value.get()));
        let Some(possible) = self.union(of_kind).filter(|_| depth < CHECKED_LEVELS) else {
            return match &self.kinds()[..] {
                [] => Vec::new(),
                kinds => fault(format!("must be {}, not", articles(kinds))),
            };
        };
        let is_chosen = |it: &Self| it.alternatives[0].has_choice(value);
        let Some(chosen) = self.union(possible.alternatives().filter(is_chosen)) else {
            let choices = possible.choices().into_iter().map(|it| it.0.to_string());
            let choices = choices.collect::<Vec<_>>().join(", ");
            return fault(format!("must be one of {choices}, not"));
        };
        let members = value.members().unwrap_or_default();
        let of_member = |(name, value): &(String, RawJsonRef<'_>), member: &Self| {
            member.faults(*value, &below(path, name), depth + 1)
        };
        let narrowed = chosen.narrowed(&members, |it, member| of_member(it, member).is_empty());
        let each = narrowed
            .as_ref()
            .unwrap_or(&chosen)
            .alternatives()
            .map(|alternative| {
                if let Some(expected) = alternative.broken_limit(value) {
                    return fault(expected);
                }
                let is_given = |name: &str| members.iter().any(|it| it.0 == name);
                let required = alternative
                    .required()
                    .into_iter()
                    .filter(|_| value.is_object());
                let missing = required.filter(|it| !is_given(it));
                let missing = missing.map(|it| (below(path, it), "is missing".to_owned()));
                let inside = members
                    .iter()
                    .flat_map(|it| match alternative.member(&it.0) {
                        // If no alternative matches, the fault names the constants of all
                        // alternatives.
                        Some(own) => match chosen.member(&it.0).filter(|_| narrowed.is_none()) {
                            Some(all) if !own.choices().is_empty() => of_member(it, &all),
                            _ => of_member(it, &own),
                        },
                        None if alternative.get("additionalProperties")
                            == Some(&Value::Bool(false)) =>
                        {
                            vec![(below(path, &it.0), "is not known".to_owned())]
                        }
                        None => Vec::new(),
                    });
                let elements = alternative.faults_of_elements(value, path, depth + 1);
                missing.chain(inside).chain(elements).collect()
            });
        each.min_by_key(Vec::len).unwrap_or_default()
    }

    fn faults_of_elements(&self, list: RawJsonRef<'_>, path: &str, depth: usize) -> Vec<Fault> {
        let elements = list.elements().unwrap_or_default().into_iter().enumerate();
        let faults = elements.filter_map(|(index, element)| {
            let item = self.item(index)?;
            Some(item.faults(element, &format!("{path}[{index}]"), depth))
        });
        faults.flatten().collect()
    }

    /// The first limit that a value breaks: of a number, or of the length of a string or list.
    fn broken_limit(&self, value: RawJsonRef<'_>) -> Option<String> {
        let (least, most, size, unit) = match kind_of(value.get()) {
            "integer" | "number" => ("minimum", "maximum", value.get().parse().ok()?, ""),
            "string" => {
                let length = value.parse::<String>().ok()?.chars().count() as f64;
                ("minLength", "maxLength", length, " characters")
            }
            "array" => {
                let length = value.elements().ok()?.len() as f64;
                ("minItems", "maxItems", length, " elements")
            }
            _ => return None,
        };
        let limits = |keyword| self.all(keyword).filter_map(Value::as_f64);
        let least = limits(least).find(|it| size < *it).map(|it| ("least", it));
        let most = || limits(most).find(|it| size > *it).map(|it| ("most", it));
        let (word, limit) = least.or_else(most)?;
        Some(format!("must be at {word} {limit}{unit}, and is"))
    }
}
