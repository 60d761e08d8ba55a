//! Conversion of values into the nearest values that a revision allows.

use serde::Serialize;
use serde_json::Value;

use crate::union::best_match::{ByBestMatch, best};
use crate::{JsonObject, OneOrMany, OrderedMap, RawJson, Revision, Revisions};

/// Changes a value into the nearest value that a message of a given revision can contain.
///
/// Fields that the revision lacks are removed, missing required fields are filled with the most
/// cautious value, and numbers are brought into their range. A variant or enum value that the
/// revision lacks is left out where possible. Otherwise it is replaced by the nearest value: a
/// resource link becomes text, for example. [`RawJson`] is never changed.
///
/// A type that the revision lacks entirely is not changed.
///
/// ```
/// use mcp_types::{CallToolResult, Conform, Icon, ResourceLink, Revision, Tool};
///
/// let link = ResourceLink::new("manual", "https://example.org/manual");
/// let mut result = CallToolResult::new([link.into()]);
/// result.conform(Revision::V2024_11_05);
/// let json = serde_json::to_string(&result).unwrap();
/// assert!(json.contains(r#""text":"manual: https://example.org/manual""#));
///
/// result.conform(Revision::V2026_07_28);
/// assert_eq!(result.result_type.unwrap().as_str(), "complete");
/// ```
pub trait Conform {
    /// Makes the value conform to `revision`.
    fn conform(&mut self, revision: Revision);

    /// Returns true if a list or an optional field keeps the value.
    ///
    /// A value that the revision cannot express is left out there unless it has a replacement.
    #[doc(hidden)]
    fn is_kept(&self, _: Revision) -> bool {
        true
    }
}

/// Replaces numbers that are not finite.
impl Conform for f64 {
    fn conform(&mut self, _: Revision) {
        number(self, f64::MIN, f64::MAX);
    }
}

/// The schema defines no fields of such an object, so it is not changed.
impl Conform for JsonObject {
    fn conform(&mut self, _: Revision) {}
}

/// Raw JSON is not decoded, so it is not changed.
impl Conform for RawJson {
    fn conform(&mut self, _: Revision) {}
}

impl<T: Conform> Conform for Option<T> {
    fn conform(&mut self, revision: Revision) {
        keep(self, revision);
        if let Some(value) = self {
            value.conform(revision);
        }
    }
}

impl<T: Conform> Conform for Vec<T> {
    fn conform(&mut self, revision: Revision) {
        self.retain(|value| value.is_kept(revision));
        for value in self {
            value.conform(revision);
        }
    }
}

impl<T: Conform> Conform for OrderedMap<T> {
    fn conform(&mut self, revision: Revision) {
        self.retain(|_, value| value.is_kept(revision));
        for value in self.values_mut() {
            value.conform(revision);
        }
    }
}

impl<T: Conform> Conform for OneOrMany<T> {
    fn conform(&mut self, revision: Revision) {
        for value in self.as_mut_slice() {
            value.conform(revision);
        }
    }
}

impl<T: Conform> Conform for Box<T> {
    fn conform(&mut self, revision: Revision) {
        self.as_mut().conform(revision);
    }

    fn is_kept(&self, revision: Revision) -> bool {
        self.as_ref().is_kept(revision)
    }
}

/// A union that can replace a value of any member with text.
pub(crate) trait Nearest: Sized {
    fn describe(&self) -> String;

    fn from_text(text: String) -> Self;
}

/// Replaces a list with a single value, which describes the values if there are several.
pub(crate) fn single<T: Nearest>(value: &mut OneOrMany<T>) {
    let OneOrMany::Many(values) = value else {
        return;
    };
    let only = if values.len() == 1 {
        values.pop()
    } else {
        None
    };
    *value = OneOrMany::One(only.unwrap_or_else(|| {
        let texts: Vec<_> = values.iter().map(Nearest::describe).collect();
        T::from_text(texts.join("\n"))
    }));
}

/// Decodes the value again, as the best matching member among those that `revision` has.
///
/// `known` has the revisions of each member, as the bits of a [`Revisions`].
pub(crate) fn refit<T: ByBestMatch + Serialize>(
    value: &T,
    known: &[u64],
    revision: Revision,
) -> Option<T> {
    let json = RawJson::encode(value);
    let parsed = json.parse().ok()?;
    let candidates = T::CANDIDATES.iter().zip(known).enumerate();
    let candidates = candidates.filter(|(_, (_, known))| Revisions(**known).contains(revision));
    let best = best(candidates.map(|(index, (one, _))| (index, one)), &parsed)?;
    T::read(best, &mut serde_json::Deserializer::from_str(json.get())).ok()
}

/// Removes the value of a field that a revision lacks.
///
/// This is compiled once for each type of value rather than for each field.
#[inline(never)]
pub(crate) fn clear<T>(field: &mut Option<T>) {
    *field = None;
}

/// Removes a value that a revision cannot express.
pub(crate) fn keep<T: Conform>(field: &mut Option<T>, revision: Revision) {
    if field.as_ref().is_some_and(|value| !value.is_kept(revision)) {
        clear(field);
    }
}

/// Replaces JSON that is not an object with an empty object.
pub(crate) fn object(value: &mut RawJson) {
    if !value.is_object() {
        *value = RawJson::empty_object();
    }
}

/// Removes JSON that is not an object.
pub(crate) fn object_or_none(field: &mut Option<RawJson>) {
    if field.as_ref().is_some_and(|value| !value.is_object()) {
        clear(field);
    }
}

/// Brings a number into a range. NaN becomes 0, or the number in the range that is nearest to 0.
pub(crate) fn number(value: &mut f64, minimum: f64, maximum: f64) {
    let finite = if value.is_nan() { 0.0 } else { *value };
    *value = finite.clamp(minimum, maximum);
}

/// Describes a value: fills each `{field}` of the template, or returns JSON if there is no template.
pub(crate) fn describe(value: &impl Serialize, template: &str) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    filled_in(&value, template)
}

fn filled_in(value: &Value, template: &str) -> String {
    if template.is_empty() {
        return text(value);
    }
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (fields, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        let mut found = fields
            .split('|')
            .filter_map(|field| value.pointer(&format!("/{}", field.replace('.', "/"))));
        out.push_str(&found.next().map(text).unwrap_or_default());
        rest = after;
    }
    out + rest
}

/// Formats JSON for a reader: strings without quotes, lists of strings separated by commas.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_template_takes_the_first_field_that_is_there() {
        let value = json!({"name": "n", "inner": {"text": "t"}, "tags": ["a", "b"]});
        assert_eq!(
            describe(&value, "{title|name}: {inner.text} ({tags})"),
            "n: t (a, b)"
        );
        assert_eq!(describe(&value, "[{missing}]"), "[]");
        assert_eq!(describe(&json!({"a": 1}), ""), r#"{"a":1}"#);
    }

    #[test]
    fn numbers_are_finite_and_in_range() {
        let fit = |mut value: f64| {
            number(&mut value, -1.0, 1.0);
            value
        };
        let all = [fit(0.5), fit(7.0), fit(f64::NEG_INFINITY), fit(f64::NAN)];
        assert_eq!(all, [0.5, 1.0, -1.0, 0.0]);
    }
}
