//! Rules for the values of arguments: shown in the schema, and enforced before the function runs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::ops::Bound;

use serde::Serialize;
use serde_json::{Map, Value};

use super::argument::Argument;

/// A type whose values have an order that JSON Schema knows: the numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have a `range`",
    label = "not a number",
    note = "a range is for integers and floating point numbers; for text and lists there is `length`"
)]
pub trait Ranged {
    /// The type of the bounds.
    type Bound: PartialOrd + Display + Serialize + Send + Sync + 'static;

    /// The value to compare; `None` where there is nothing to check.
    fn number(&self) -> Option<&Self::Bound>;
}

/// A type whose values have a length that JSON Schema knows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have a `length`",
    label = "neither text nor a collection",
    note = "a length is for text, lists, sets and maps; for numbers there is `range`"
)]
pub trait Measured {
    /// The keywords for the smallest and the largest length.
    const KEYWORDS: [&'static str; 2];

    /// How long the value is, in characters or members; `None` where there is nothing to check.
    fn length(&self) -> Option<usize>;
}

macro_rules! ranged {
    ($($number:ty),*) => {$(
        impl Ranged for $number {
            type Bound = Self;

            fn number(&self) -> Option<&Self> {
                Some(self)
            }
        }
    )*};
}

ranged!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64
);

impl<T: Ranged> Ranged for Option<T> {
    type Bound = T::Bound;

    fn number(&self) -> Option<&T::Bound> {
        self.as_ref().and_then(T::number)
    }
}

impl Measured for String {
    const KEYWORDS: [&'static str; 2] = ["minLength", "maxLength"];

    fn length(&self) -> Option<usize> {
        Some(self.chars().count())
    }
}

impl<T: Measured> Measured for Option<T> {
    const KEYWORDS: [&'static str; 2] = T::KEYWORDS;

    fn length(&self) -> Option<usize> {
        self.as_ref().and_then(T::length)
    }
}

macro_rules! measured {
    ($($collection:ident<$($parameter:ident),*>: $min:literal $max:literal;)*) => {$(
        impl<$($parameter),*> Measured for $collection<$($parameter),*> {
            const KEYWORDS: [&'static str; 2] = [$min, $max];

            fn length(&self) -> Option<usize> {
                Some(self.len())
            }
        }
    )*};
}

measured! {
    Vec<T>: "minItems" "maxItems";
    BTreeSet<T>: "minItems" "maxItems";
    HashSet<T, S>: "minItems" "maxItems";
    BTreeMap<K, V>: "minProperties" "maxProperties";
    HashMap<K, V, S>: "minProperties" "maxProperties";
}

impl<T> Argument<T> {
    /// Accepts only numbers between two bounds.
    #[must_use]
    pub fn range(mut self, from: Bound<T::Bound>, to: Bound<T::Bound>) -> Self
    where
        T: Ranged,
    {
        keyword(&mut self.keywords, ["minimum", "exclusiveMinimum"], &from);
        keyword(&mut self.keywords, ["maximum", "exclusiveMaximum"], &to);
        self.check(move |value| {
            let Some(number) = value.number() else {
                return Ok(());
            };
            let low = match &from {
                Bound::Included(bound) => number >= bound,
                Bound::Excluded(bound) => number > bound,
                Bound::Unbounded => true,
            };
            let high = match &to {
                Bound::Included(bound) => number <= bound,
                Bound::Excluded(bound) => number < bound,
                Bound::Unbounded => true,
            };
            if low && high {
                return Ok(());
            }
            let expected = phrases(&from, &to);
            Err(format!(
                "out of range: {number}, expected a number {expected}"
            ))
        })
    }

    /// Accepts only values of a length between two bounds.
    #[must_use]
    pub fn length(mut self, from: Bound<usize>, to: Bound<usize>) -> Self
    where
        T: Measured,
    {
        let least = match from {
            Bound::Included(least) => least,
            Bound::Excluded(below) => below.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let most = match to {
            Bound::Included(most) => most,
            Bound::Excluded(above) => above.saturating_sub(1),
            Bound::Unbounded => usize::MAX,
        };
        let [min, max] = T::KEYWORDS;
        if least > 0 {
            self.keywords.insert(min.to_owned(), least.into());
        }
        if most < usize::MAX {
            self.keywords.insert(max.to_owned(), most.into());
        }
        self.check(move |value| match value.length() {
            Some(length) if length < least => {
                Err(format!("too short: {length}, expected at least {least}"))
            }
            Some(length) if length > most => {
                Err(format!("too long: {length}, expected at most {most}"))
            }
            _ => Ok(()),
        })
    }
}

fn keyword<B: Serialize>(
    keywords: &mut Map<String, Value>,
    [included, excluded]: [&str; 2],
    bound: &Bound<B>,
) {
    let (name, value) = match bound {
        Bound::Included(value) => (included, value),
        Bound::Excluded(value) => (excluded, value),
        Bound::Unbounded => return,
    };
    if let Ok(value) = serde_json::to_value(value) {
        keywords.insert(name.to_owned(), value);
    }
}

fn phrases<B: Display>(from: &Bound<B>, to: &Bound<B>) -> String {
    let from = match from {
        Bound::Included(bound) => Some(format!("of at least {bound}")),
        Bound::Excluded(bound) => Some(format!("above {bound}")),
        Bound::Unbounded => None,
    };
    let to = match to {
        Bound::Included(bound) => Some(format!("of at most {bound}")),
        Bound::Excluded(bound) => Some(format!("below {bound}")),
        Bound::Unbounded => None,
    };
    from.into_iter().chain(to).collect::<Vec<_>>().join(" and ")
}
