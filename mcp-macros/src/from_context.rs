//! Implements `#[derive(FromContext)]`, for types that functions take by reference.

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::grammar::FROM_CONTEXT;
use crate::own_attribute::take_attribute;
use crate::{expand, manifest};

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut diagnostics = Diagnostics::default();
    let attribute = take_attribute(&mut input.attrs, "from_context");
    let mut entries = Entries::of(attribute.as_ref(), &FROM_CONTEXT, &mut diagnostics);
    let is_identity = entries.flag("identity", &mut diagnostics);
    if is_identity != Some(true) && diagnostics.count() == 0 {
        diagnostics.mistake(
            &input.ident,
            format!("nothing says where `{}` comes from", input.ident),
            "write `#[from_context(identity)]` below the derive: it is the caller's identity",
        );
    }
    if let Some(lifetime) = input.generics.lifetimes().next() {
        let what = "an identity is kept with its connection, and cannot borrow";
        let mend = "own the fields: `String` for `&str`, `Vec` for a slice, or an `Arc`";
        diagnostics.mistake(lifetime, what, mend);
    }
    match diagnostics.count() {
        0 => expand::identity(&manifest::runtime(), &input),
        _ => diagnostics.into_tokens(),
    }
}
