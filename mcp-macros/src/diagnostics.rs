//! Mistakes, collected until everything has been looked at.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Attribute;

/// The mistakes found so far, each bound to the tokens at fault.
#[derive(Default)]
pub(crate) struct Diagnostics {
    /// One `compile_error!` for each mistake.
    errors: Vec<TokenStream>,
    /// How many mistakes are reported where they were found first.
    known: usize,
}

impl Diagnostics {
    /// Records a mistake on `tokens`, with how to mend it.
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

    /// Keeps the value, or records why there is none.
    pub(crate) fn absorb<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        let record = |error: syn::Error| self.errors.push(error.into_compile_error());
        result.map_err(record).ok()
    }

    /// Takes over mistakes that are to be reported under these conditions only.
    pub(crate) fn extend_under(&mut self, conditions: &[Attribute], mistakes: Self) {
        let under = |error: TokenStream| quote!(#(#conditions)* #error);
        self.errors.extend(mistakes.errors.into_iter().map(under));
        self.known += mistakes.known;
    }

    /// How many mistakes there are, to see whether a step added one.
    pub(crate) fn count(&self) -> usize {
        self.errors.len() + self.known
    }

    /// Counts a mistake that is reported elsewhere.
    pub(crate) fn count_known(&mut self) {
        self.known += 1;
    }

    /// The mistakes as code.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors.into_iter().collect()
    }
}
