//! Unions whose members nothing single tells apart.
//!
//! They are small and rare, so the value is looked at as a whole before it is
//! decoded.

use serde_json::{Result, Value};

use crate::RawJson;
use crate::json::{Decode, Reader};

/// A union told apart by how well a value fits.
pub(crate) trait ByBestMatch: Sized {
    /// What each member looks like.
    const CANDIDATES: &'static [Candidate];

    /// Decodes a member; `None` if there is none of that index.
    fn decode(index: usize, reader: &mut Reader<'_>) -> Result<Option<Self>>;

    /// What no member fits.
    fn unknown(json: RawJson) -> Self;
}

/// What a member looks like; places are JSON pointers.
pub(crate) struct Candidate {
    /// Fields with the values that they may have.
    pub(crate) constants: &'static [(&'static str, &'static [&'static str])],
    /// Other fields that must be there.
    pub(crate) required: &'static [&'static str],
    /// Fields that may be there.
    pub(crate) optional: &'static [&'static str],
}

impl Candidate {
    /// How well `value` fits; more required fields first, then more optional ones.
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

/// The candidate that fits best; the first of those that fit equally well.
pub(crate) fn best<'a>(
    candidates: impl Iterator<Item = (usize, &'a Candidate)>,
    value: &Value,
) -> Option<usize> {
    let fits = candidates.filter_map(|(index, one)| Some((index, one.fit(value)?)));
    let best = fits.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(index, _)| index)
}

/// Reads a union told apart by how well a value fits.
pub(crate) fn decode<T: ByBestMatch>(reader: &mut Reader<'_>) -> Result<T> {
    reader.peek();
    let start = reader.place();
    let value = Value::decode(reader)?;
    reader.go(start);
    if let Some(index) = best(T::CANDIDATES.iter().enumerate(), &value)
        && let Some(member) = T::decode(index, reader)?
    {
        return Ok(member);
    }
    RawJson::decode(reader).map(T::unknown)
}
