//! Constraints of arguments. They are keywords of the schema, and are enforced before the function
//! runs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;

use serde::Serialize;

use super::pattern;
use super::{Argument, InvalidPattern, PatternArgument};

/// A type whose values have an order in JSON Schema: numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have a `range`",
    label = "not a number",
    note = "`range` is for integers and floating-point numbers; use `length` for strings and lists"
)]
pub trait RangeArgument {
    /// The type of the bounds.
    type Bound: Serialize;
}

/// A type whose values have a length in JSON Schema: strings and collections.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have a `length`",
    label = "neither text nor a collection",
    note = "`length` is for strings, lists, sets and maps; use `range` for numbers"
)]
pub trait LengthArgument {
    /// The keywords for the minimum and the maximum length.
    const KEYWORDS: [&'static str; 2];
}

macro_rules! ranged {
    ($($number:ty),*) => {$(
        impl RangeArgument for $number {
            type Bound = Self;
        }
    )*};
}

ranged!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64
);

impl<T: RangeArgument> RangeArgument for Option<T> {
    type Bound = T::Bound;
}

impl LengthArgument for String {
    const KEYWORDS: [&'static str; 2] = ["minLength", "maxLength"];
}

impl<T: LengthArgument> LengthArgument for Option<T> {
    const KEYWORDS: [&'static str; 2] = T::KEYWORDS;
}

macro_rules! measured {
    ($($collection:ident<$($parameter:ident),*>: $min:literal $max:literal;)*) => {$(
        impl<$($parameter),*> LengthArgument for $collection<$($parameter),*> {
            const KEYWORDS: [&'static str; 2] = [$min, $max];
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

/// A type whose values fit into an HTTP header: strings, booleans and integers.
///
/// Implement it for a type of your own whose JSON is a string, such as an enum of plain names
/// (2026-07-28, "Tools", section "x-mcp-header").
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent in a header",
    label = "neither text, nor a boolean, nor an integer",
    note = "the specification allows `header` on strings, booleans and integers only"
)]
pub trait HeaderArgument {}

macro_rules! header_arguments {
    ($($kind:ty),*) => {
        $(impl HeaderArgument for $kind {})*
    };
}

header_arguments!(
    String, bool, char, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize
);

impl<T: HeaderArgument> HeaderArgument for Option<T> {}

impl<T> Argument<T> {
    /// Accepts only numbers between two bounds.
    #[must_use]
    pub fn range(self, from: Bound<T::Bound>, to: Bound<T::Bound>) -> Self
    where
        T: RangeArgument,
    {
        self.bound(["minimum", "exclusiveMinimum"], &from)
            .bound(["maximum", "exclusiveMaximum"], &to)
    }

    fn bound<B: Serialize>(self, [included, excluded]: [&str; 2], bound: &Bound<B>) -> Self {
        match bound {
            Bound::Included(value) => self.constrain(included, value),
            Bound::Excluded(value) => self.constrain(excluded, value),
            Bound::Unbounded => self,
        }
    }

    /// Accepts only values whose length is between two bounds.
    #[must_use]
    pub fn length(mut self, from: Bound<usize>, to: Bound<usize>) -> Self
    where
        T: LengthArgument,
    {
        let [min, max] = T::KEYWORDS;
        let least = match from {
            Bound::Included(least) => least,
            Bound::Excluded(below) => below.saturating_add(1),
            Bound::Unbounded => 0,
        };
        if least > 0 {
            self = self.constrain(min, &least);
        }
        match to {
            Bound::Included(most) => self.constrain(max, &most),
            Bound::Excluded(above) => self.constrain(max, &above.saturating_sub(1)),
            Bound::Unbounded => self,
        }
    }

    /// Accepts only strings that contain a match of the regular expression.
    ///
    /// Look-around and back-references are not supported; JSON Schema does not require them.
    ///
    /// ```
    /// # #[cfg(feature = "pattern")] {
    /// use mcp_runtime::server::tools::argument;
    ///
    /// let isbn = argument::<String>("isbn").pattern("^[0-9]{13}$")?;
    /// assert!(argument::<String>("isbn").pattern("[0-9").is_err());
    /// # drop(isbn);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When `pattern` is not a regular expression.
    pub fn pattern(self, pattern: &'static str) -> Result<Self, InvalidPattern>
    where
        T: PatternArgument,
    {
        pattern::check(self.parameter.name, pattern)?;
        Ok(self.checked_pattern(pattern))
    }

    /// Like [`pattern`](Self::pattern), for a pattern that the macro has already checked.
    #[doc(hidden)]
    #[must_use]
    pub fn checked_pattern(self, pattern: &'static str) -> Self
    where
        T: PatternArgument,
    {
        self.constrain("pattern", pattern)
    }

    /// Lets HTTP clients repeat the value in the header `Mcp-Param-{name}`, so that proxies can
    /// route by it.
    ///
    /// Integers are limited to ±(2^53 − 1); the schema states these bounds.
    #[must_use]
    pub fn header(self, name: &'static str) -> Self
    where
        T: HeaderArgument,
    {
        self.constrain("x-mcp-header", name)
    }

    fn constrain<B: Serialize + ?Sized>(self, keyword: &str, bound: &B) -> Self {
        match serde_json::to_value(bound) {
            Ok(bound) => self.annotate(keyword, bound),
            Err(_) => self,
        }
    }
}
