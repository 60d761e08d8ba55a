//! Finds the result of each request.

use super::ir::stem;
use super::lowering::Lowering;
use crate::codegen::overlay::proposal::Proposal;
use crate::codegen::schemas::subschemas::{alternatives, referred};
use serde_json::Value;

/// The result of requests that return no data.
const EMPTY: &str = "EmptyResult";

/// The result that may replace other results.
const ALTERNATIVE: &str = "InputRequiredResult";

impl<'a> Lowering<'a> {
    /// Returns true for a request, if neither an `id` nor a union shows the kind of the message.
    pub(crate) fn is_answered(&self, name: &str, json: &Value, method: &str) -> bool {
        if let Some(entry) = self.overlay.result.find(method) {
            return entry.name.is_some();
        }
        let result = format!("{}Result", stem(name, true));
        let is_answered = self.schema.defs.contains_key(&result);
        if !is_answered {
            let what = "a request or a notification: no union of senders lists it, it has no \
                        `id`, and no result goes by its name; without `type` it is a notification";
            self.ask_result(json, method, what);
        }
        is_answered
    }

    pub(crate) fn result_of(
        &mut self,
        name: &str,
        json: &'a Value,
        method: &str,
    ) -> (Option<String>, Option<String>) {
        let schema = self.schema;
        let overlay = self.overlay;
        let stem = stem(name, true);
        let by_name = schema.defs.get_key_value(&format!("{stem}Result"));
        let by_name = by_name.map(|(name, _)| name.as_str());
        let by_entry = overlay.result.find(method);
        let by_entry = by_entry.and_then(|entry| entry.name.as_deref());
        let response = schema.defs.get(&format!("{stem}ResultResponse"));
        let response = response.and_then(|response| response["properties"].get("result"));
        let mut named = Vec::new();
        if let Some(response) = response {
            named = self.answers(response);
            let mut known = by_name.into_iter().chain(by_entry);
            if let Some(name) = known.find(|name| !named.contains(name)) {
                let what = format!("the answer is not a `{name}`, against its name or [[result]]");
                self.fault(response, &what);
            }
        }
        let has_alternative = named.contains(&ALTERNATIVE);
        let answered = named.into_iter().find(|name| *name != ALTERNATIVE);
        let result = by_entry.or(answered).or(by_name).unwrap_or_else(|| {
            self.ask_result(json, method, "no definition is its result");
            EMPTY
        });
        let alternative = has_alternative.then(|| self.result(json, ALTERNATIVE));
        (self.result(json, result), alternative.flatten())
    }

    fn result(&mut self, json: &Value, name: &str) -> Option<String> {
        match self.definition(name) {
            Some(result) => self.body(result, name),
            None => {
                self.fault(json, &format!("its result `{name}` is not a definition"));
                None
            }
        }
    }

    /// Returns the definitions that a response names as its result.
    fn answers(&mut self, response: &'a Value) -> Vec<&'a str> {
        let all = alternatives(response).map_or(std::slice::from_ref(response), Vec::as_slice);
        let named: Vec<_> = all.iter().filter_map(referred).collect();
        let results = named.iter().filter(|name| **name != ALTERNATIVE);
        if named.len() < all.len() || results.count() != 1 {
            let what = format!(
                "expected a reference to the result, and `{ALTERNATIVE}` as the only other"
            );
            self.fault(response, &what);
        }
        named
    }

    fn ask_result(&self, json: &Value, method: &str, what: &str) {
        let entry = Proposal::of("result");
        self.ask(json, what, entry.with("method", method).with("type", EMPTY));
    }
}
