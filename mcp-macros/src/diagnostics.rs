//! Mistakes, collected until everything has been looked at.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far, each bound to the tokens at fault.
#[derive(Default)]
pub(crate) struct Diagnostics {
    errors: Vec<syn::Error>,
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
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Keeps the value, or records why there is none.
    pub(crate) fn absorb<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    /// How many mistakes there are, to see whether a step added one.
    pub(crate) fn count(&self) -> usize {
        self.errors.len() + self.known
    }

    /// Counts a mistake that is reported elsewhere.
    pub(crate) fn count_known(&mut self) {
        self.known += 1;
    }

    /// One `compile_error!` for each mistake.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors
            .into_iter()
            .map(syn::Error::into_compile_error)
            .collect()
    }
}
