//! Arguments that an HTTP client repeats in a header, so that proxies can route by them.

use super::argument::Argument;

/// A type whose values fit into an HTTP header: text, booleans and integers.
///
/// Implement it for a type of your own whose JSON is a string, such as an enum of plain names
/// (2026-07-28, "Tools", section "x-mcp-header").
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent in a header",
    label = "neither text, nor a boolean, nor an integer",
    note = "the specification allows `header` on strings, booleans and integers only"
)]
pub trait HeaderArgument {}

macro_rules! headers {
    ($($kind:ty),*) => {$(impl HeaderArgument for $kind {})*};
}

headers!(
    String, bool, char, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize
);

impl<T: HeaderArgument> HeaderArgument for Option<T> {}

impl<T> Argument<T> {
    /// Asks HTTP clients to repeat the value in the header `Mcp-Param-{name}`.
    #[must_use]
    pub fn header(self, name: &'static str) -> Self
    where
        T: HeaderArgument,
    {
        self.keyword("x-mcp-header", name)
    }
}
