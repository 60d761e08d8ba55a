//! The result of each request.

use super::ir::stem;
use super::lowering::{Lowering, fields};
use crate::codegen::overlay::proposal::Proposal;
use crate::codegen::schemas::subschemas::{alternatives, referred};
use serde_json::Value;

/// The result of requests that only acknowledge.
const EMPTY: &str = "EmptyResult";

/// The result that may be the answer instead of any other.
const ALTERNATIVE: &str = "InputRequiredResult";

/// Whether a message without an `id`, which no union lists, has an answer.
pub(crate) fn is_answered(lowering: &Lowering<'_>, name: &str, json: &Value, method: &str) -> bool {
    if let Some(entry) = lowering.overlay.result.find(method) {
        return entry.name.is_some();
    }
    let result = format!("{}Result", stem(name, true));
    if lowering.schema.defs.contains_key(&result) {
        return true;
    }
    let what = "a request or a notification: no union of senders lists it, it has no `id`, and \
                no result goes by its name; without `type` it is a notification";
    ask(lowering, json, method, what);
    false
}

/// The type of the result, and of the one that may come instead.
pub(crate) fn result_of<'a>(
    lowering: &mut Lowering<'a>,
    name: &str,
    json: &'a Value,
    method: &str,
) -> (Option<String>, Option<String>) {
    let schema = lowering.schema;
    let stem = stem(name, true);
    let by_name = schema.defs.get_key_value(&format!("{stem}Result"));
    let by_name = by_name.map(|(name, _)| name.as_str());
    let by_entry = lowering.overlay.result.find(method);
    let by_entry = by_entry.and_then(|entry| entry.name.as_deref());
    let response = schema.defs.get(&format!("{stem}ResultResponse"));
    let response = response.and_then(|response| fields(response)?.get("result"));
    let mut named = Vec::new();
    if let Some(response) = response {
        named = answers(lowering, response);
        let mut others = [by_name, by_entry].into_iter().flatten();
        if let Some(name) = others.find(|name| !named.contains(name)) {
            let what = format!("the answer is no `{name}`, against its name or [[result]]");
            lowering.fault(response, &what);
        }
    }
    let alternative = schema.defs.get_key_value(ALTERNATIVE);
    let alternative = alternative.filter(|_| named.contains(&ALTERNATIVE));
    let alternative = alternative.and_then(|(name, json)| {
        lowering.reached.insert(name.clone());
        lowering.body(json, name)
    });
    let answered = named.into_iter().find(|name| *name != ALTERNATIVE);
    let result = by_entry.or(answered).or(by_name).unwrap_or_else(|| {
        ask(lowering, json, method, "no definition is its result");
        EMPTY
    });
    let Some(target) = schema.defs.get(result) else {
        lowering.fault(json, &format!("its result `{result}` is no definition"));
        return (None, None);
    };
    lowering.reached.insert(result.to_owned());
    (lowering.body(target, result), alternative)
}

/// The definitions that a response names as its result.
fn answers<'a>(lowering: &mut Lowering<'_>, response: &'a Value) -> Vec<&'a str> {
    let all = alternatives(response).map_or(std::slice::from_ref(response), Vec::as_slice);
    let named: Vec<_> = all.iter().filter_map(referred).collect();
    let results = named.iter().filter(|name| **name != ALTERNATIVE);
    if named.len() < all.len() || results.count() != 1 {
        let what =
            format!("expected a reference to the result, and `{ALTERNATIVE}` as the only other");
        lowering.fault(response, &what);
    }
    named
}

/// Asks for the result of a request.
fn ask(lowering: &Lowering<'_>, json: &Value, method: &str, what: &str) {
    let entry = Proposal::of("result")
        .with("method", method)
        .with("type", EMPTY)
        .reason();
    lowering.ask(json, what, entry);
}
