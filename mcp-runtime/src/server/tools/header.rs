//! Arguments that an HTTP client repeats in a header, so that proxies can route by them.

use std::fmt::Display;

use serde_json::{Map, Value};

use super::argument::Argument;

/// The largest number that may be sent in a header, either way from zero: beyond it, programs that
/// keep numbers as floating point no longer tell neighbours apart (2026-07-28, "Tools", section
/// "x-mcp-header").
const SAFE: i64 = (1 << 53) - 1;

/// A type whose values fit into an HTTP header: text, booleans and integers.
///
/// Implement it for a type of your own whose JSON is a string, such as an enum of plain names
/// (2026-07-28, "Tools", section "x-mcp-header").
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent in a header",
    label = "neither text, nor a boolean, nor an integer",
    note = "the specification allows `header` on strings, booleans and integers only"
)]
pub trait HeaderArgument {
    /// Whether some values are numbers too large for a header; those are refused.
    const IS_WIDE: bool = false;

    /// Whether this value fits.
    ///
    /// # Errors
    ///
    /// With what is wrong with it.
    fn fits(&self) -> Result<(), String> {
        Ok(())
    }
}

macro_rules! narrow {
    ($($kind:ty),*) => {$(impl HeaderArgument for $kind {})*};
}

narrow!(String, bool, char, i8, i16, i32, u8, u16, u32);

macro_rules! wide {
    ($($kind:ty),*) => {$(
        impl HeaderArgument for $kind {
            const IS_WIDE: bool = true;

            fn fits(&self) -> Result<(), String> {
                safe(*self)
            }
        }
    )*};
}

wide!(i64, isize, u64, usize);

impl<T: HeaderArgument> HeaderArgument for Option<T> {
    const IS_WIDE: bool = T::IS_WIDE;

    fn fits(&self) -> Result<(), String> {
        self.as_ref().map_or(Ok(()), T::fits)
    }
}

fn safe<T: TryInto<i64> + Copy + Display>(number: T) -> Result<(), String> {
    let as_i64: Option<i64> = number.try_into().ok();
    match as_i64.is_some_and(|number| (-SAFE..=SAFE).contains(&number)) {
        true => Ok(()),
        false => Err(format!(
            "out of range: {number}, expected a number of at least {} and of at most {SAFE}",
            -SAFE
        )),
    }
}

impl<T> Argument<T> {
    /// Asks HTTP clients to repeat the value in the header `Mcp-Param-{name}`.
    ///
    /// Integers beyond ±(2^53 − 1) are refused, and the schema says so.
    #[must_use]
    pub fn header(mut self, name: &'static str) -> Self
    where
        T: HeaderArgument + 'static,
    {
        self.header = Some(Header {
            is_wide: T::IS_WIDE,
        });
        self.keyword("x-mcp-header", name).check(T::fits)
    }
}

/// What follows for the schema of an argument that is sent in a header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    is_wide: bool,
}

impl Header {
    /// Narrows the schema to what the specification allows there.
    pub(super) fn narrow(self, schema: &mut Map<String, Value>) {
        // The type has to be a primitive one. An argument that may be left out need not be null.
        if let Some(Value::Array(kinds)) = schema.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [kind] = kinds.as_mut_slice() {
                let kind = kind.take();
                schema.insert("type".to_owned(), kind);
            }
        }
        if self.is_wide {
            narrow_range(schema);
        }
    }
}

fn narrow_range(schema: &mut Map<String, Value>) {
    let bound = |schema: &Map<String, Value>, keyword: &str| schema.get(keyword)?.as_f64();
    #[allow(clippy::cast_precision_loss)] // The largest number that is exact.
    let safe = SAFE as f64;
    if bound(schema, "minimum").is_none_or(|least| least < -safe) {
        schema.insert("minimum".to_owned(), (-SAFE).into());
    }
    if bound(schema, "maximum").is_none_or(|most| most > safe) {
        schema.insert("maximum".to_owned(), SAFE.into());
    }
}
