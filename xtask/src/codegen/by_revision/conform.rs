//! Statements that make a value conform to one revision.

use crate::codegen::emit::rust::ident;
use crate::codegen::merged::merge::{Merged, Shape};
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// The merged schemas, and the types that need code.
pub(crate) struct Conform<'a> {
    pub(crate) merged: &'a Merged,
    pub(crate) overlay: &'a Overlay,
    /// The types of which something can change.
    pub(crate) active: BTreeSet<String>,
}

impl Conform<'_> {
    /// Statements that make the value at `place` conform.
    pub(crate) fn visit(
        &self,
        ty: &Type,
        place: &TokenStream,
        max_items: Option<u64>,
    ) -> Option<TokenStream> {
        match ty {
            Type::Named(name) => {
                let is_active = self.active.contains(name);
                is_active.then(|| quote!(#place.conform(revision);))
            }
            Type::Number => Some(quote!(fit::number(#place, f64::MIN, f64::MAX);)),
            Type::OneOrMany(inner) => {
                let visit = self.visit(inner, &quote!(value), None)?;
                Some(quote!(for value in #place.as_mut_slice() { #visit }))
            }
            Type::Nullable(inner) => {
                let visit = self.visit(inner, &quote!(value), None)?;
                Some(quote!(if let Some(value) = #place { #visit }))
            }
            Type::List(inner) => {
                let truncate = max_items.and_then(|max| usize::try_from(max).ok());
                let truncate = truncate.map(|max| quote!(#place.truncate(#max);));
                let retain = quote!(#place.retain(|item| item.exists_in(revision)););
                let items = self.items(inner, retain, |visit| match **inner {
                    Type::Named(_) => quote!(#place.conform(revision);),
                    _ => quote!(for value in #place.iter_mut() { #visit }),
                });
                (truncate.is_some() || items.is_some()).then(|| quote!(#truncate #items))
            }
            Type::Map(inner) => {
                let retain = quote!(#place.retain(|_, item| item.exists_in(revision)););
                let each = |visit| quote!(for value in #place.values_mut() { #visit });
                self.items(inner, retain, each)
            }
            _ => None,
        }
    }

    /// Statements for the items of a list or map; `each` makes of those for one those for all.
    fn items(
        &self,
        inner: &Type,
        retain: TokenStream,
        each: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Option<TokenStream> {
        let retain = self.is_droppable(inner).then_some(retain);
        let visit = self.visit(inner, &quote!(value), None);
        // What is left of an enum needs no more.
        let visit = visit.filter(|_| retain.is_none() || self.has_parts(inner));
        let visit = visit.map(each);
        (retain.is_some() || visit.is_some()).then(|| quote!(#retain #visit))
    }

    /// Whether a value that cannot be expressed is better left out than replaced.
    pub(crate) fn is_droppable(&self, ty: &Type) -> bool {
        let Type::Named(name) = ty else {
            return false;
        };
        match self.merged.types.get(name).map(|ty| (&ty.shape, &ty.known)) {
            Some((Shape::Enum(values), known)) => values.open != *known,
            Some((Shape::Union(_), _)) => self.overlay.replacement(name).is_none(),
            Some((Shape::Struct(_), _)) | None => false,
        }
    }

    /// Whether the type is more than a string.
    pub(crate) fn has_parts(&self, ty: &Type) -> bool {
        let ty = ty.name().and_then(|name| self.merged.types.get(name));
        !ty.is_some_and(|ty| matches!(ty.shape, Shape::Enum(_)))
    }
}

/// The name of the parameter `revision`, if the body uses it.
pub(crate) fn revision_in(body: &TokenStream) -> TokenStream {
    parameter_in(body, "revision")
}

/// The name of the parameter `name`, if the body uses it.
pub(crate) fn parameter_in(body: &TokenStream, name: &str) -> TokenStream {
    let is_used = body
        .to_string()
        .split(|c: char| !c.is_alphanumeric() && c != '"')
        .any(|word| word == name);
    let name = ident(name);
    if is_used { quote!(#name) } else { quote!(_) }
}
