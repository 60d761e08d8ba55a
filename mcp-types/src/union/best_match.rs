//! Unions whose members can't be distinguished by a single field.
//!
//! Such unions are small and rare, so the whole value is inspected before it is decoded.

use serde::de::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Union, without_place};
use crate::RawJson;

/// A union whose members are distinguished by how well a value fits.
pub(crate) trait ByBestMatch: Union {
    const CANDIDATES: &'static [Candidate];
}

/// Description of a member. Fields are JSON pointers.
pub(crate) struct Candidate {
    /// Fields that have only certain values.
    pub(crate) constants: &'static [(&'static str, &'static [&'static str])],
    pub(crate) required: &'static [&'static str],
    pub(crate) optional: &'static [&'static str],
}

impl Candidate {
    /// Rates how well `value` fits, by the number of required fields and then of optional fields.
    fn fit(&self, value: &Value) -> Option<(usize, usize)> {
        let has = |place: &&&str| value.pointer(place).is_some();
        let constants = self.constants.iter().all(|(place, allowed)| {
            let found = value.pointer(place).and_then(Value::as_str);
            found.is_some_and(|found| allowed.contains(&found))
        });
        let fits = constants && self.required.iter().all(|place| has(&place));
        fits.then(|| {
            let optional = self.optional.iter().filter(has).count();
            (self.required.len(), optional)
        })
    }
}

/// Returns the candidate that fits best, or the first of several that fit equally well.
pub(crate) fn best<'a>(
    candidates: impl Iterator<Item = (usize, &'a Candidate)>,
    value: &Value,
) -> Option<usize> {
    let fits = candidates.filter_map(|(index, one)| Some((index, one.fit(value)?)));
    let best = fits.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(index, _)| index)
}

/// Decodes a union whose members are distinguished by how well a value fits.
///
/// # Errors
///
/// When the value does not fit the member that it resembles.
pub(crate) fn deserialize<'de, T: ByBestMatch, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let json = RawJson::deserialize(deserializer)?;
    let value: Value = json.parse().map_err(without_place)?;
    match best(T::CANDIDATES.iter().enumerate(), &value) {
        Some(index) => T::read(index, &mut serde_json::Deserializer::from_str(json.get()))
            .map_err(without_place),
        None => Ok(T::unknown(json)),
    }
}
