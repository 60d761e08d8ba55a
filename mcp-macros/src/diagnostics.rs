//! Collects mistakes, to report all of them in one compilation.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Attribute;

/// The mistakes found so far, each bound to the tokens at fault.
#[derive(Default)]
pub(crate) struct Diagnostics {
    /// One `compile_error!` for each mistake.
    errors: Vec<TokenStream>,
    /// The number of mistakes that another part of the macro reports.
    known: usize,
}

impl Diagnostics {
    pub(crate) fn mistake(
        &mut self,
        tokens: impl ToTokens,
        what: impl Display,
        mend: impl Display,
    ) {
        let message = format!("{what}\n  help: {mend}");
        let error = syn::Error::new_spanned(tokens, message);
        self.errors.push(error.into_compile_error());
    }

    /// Returns the value, or records the error.
    pub(crate) fn absorb<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        let record = |error: syn::Error| self.errors.push(error.into_compile_error());
        result.map_err(record).ok()
    }

    /// Adds `mistakes`, which are reported only under `conditions`.
    pub(crate) fn extend_under(&mut self, conditions: &[Attribute], mistakes: Self) {
        let under = |error: TokenStream| quote!(#(#conditions)* #error);
        self.errors.extend(mistakes.errors.into_iter().map(under));
        self.known += mistakes.known;
    }

    /// The number of mistakes, to see whether a step added one.
    pub(crate) fn count(&self) -> usize {
        self.errors.len() + self.known
    }

    /// Counts a mistake that is reported elsewhere.
    pub(crate) fn count_known(&mut self) {
        self.known += 1;
    }

    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors.into_iter().collect()
    }
}
