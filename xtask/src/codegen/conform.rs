//! Statements that make a value conform to one revision.

use super::error::{Error, Result};
use super::ir::Type;
use super::merge::{Merged, Shape};
use super::overlay::Overlay;
use super::rust::ident;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::{Value, json};
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

    /// Whether [`Conform::fill`] knows a value.
    pub(crate) fn is_filled(&self, place: &str, ty: &Type) -> bool {
        let is_empty = |name| self.is_empty_struct(name);
        self.overlay.fill.at(place).is_some() || matches!(ty, Type::Named(name) if is_empty(name))
    }

    /// The method of `Option` that fills an absent field where it is required.
    pub(crate) fn fill(&self, place: &str, ty: &Type) -> Result<TokenStream> {
        let fault = |what: &str| Error::conflict(place, what);
        // A struct without required fields is filled with an empty one.
        let fill = self.overlay.fill.at(place);
        let json = fill.map_or("{}", |entry| &entry.value);
        let value: Value = serde_json::from_str(json).map_err(|_| fault("the fill is not JSON"))?;
        let is_empty = |value: &Value| [json!({}), json!([])].contains(value);
        let filled = match (ty, &value) {
            (Type::Text, Value::String(text)) if text == "$revision" => {
                quote!(get_or_insert_with(|| revision.as_str().to_owned()))
            }
            (Type::Text, Value::String(text)) => {
                quote!(get_or_insert_with(|| #text.to_owned()))
            }
            (Type::Named(name), Value::String(text)) if self.is_word(name, text) => {
                let name = ident(name);
                quote!(get_or_insert_with(|| #name::from(#text)))
            }
            (Type::Integer { signed }, Value::Number(number))
                if number.is_u64() || *signed && number.is_i64() =>
            {
                let number: TokenStream = number.to_string().parse().unwrap_or_default();
                quote!(get_or_insert(#number))
            }
            (Type::Number, Value::Number(number)) => {
                let number = Literal::f64_unsuffixed(number.as_f64().unwrap_or_default());
                quote!(get_or_insert(#number))
            }
            (Type::Bool, Value::Bool(value)) => quote!(get_or_insert(#value)),
            (Type::Named(name), value) if is_empty(value) && self.is_empty_struct(name) => {
                let name = ident(name);
                quote!(get_or_insert_with(#name::new))
            }
            (Type::List(_) | Type::Map(_) | Type::Object { .. }, value) if is_empty(value) => {
                quote!(get_or_insert_default())
            }
            (Type::Json { .. }, value) if is_empty(value) => {
                quote!(get_or_insert_with(RawJson::empty_object))
            }
            (
                Type::Text
                | Type::Integer { .. }
                | Type::Number
                | Type::Bool
                | Type::Json { .. }
                | Type::Object { .. }
                | Type::Constant(_)
                | Type::Named(_)
                | Type::List(_)
                | Type::Map(_)
                | Type::OneOrMany(_)
                | Type::Nullable(_),
                _,
            ) => return Err(fault("cannot be filled with that value")),
        };
        Ok(filled)
    }

    /// Whether the type has that word for a value; those that are written by hand have any.
    fn is_word(&self, name: &str, word: &str) -> bool {
        match self.merged.types.get(name).map(|ty| &ty.shape) {
            None => true,
            Some(Shape::Enum(values)) => values.values.contains_key(word),
            Some(Shape::Struct(_) | Shape::Union(_)) => false,
        }
    }

    fn is_empty_struct(&self, name: &str) -> bool {
        let structure = self.merged.structure(name);
        structure.is_some_and(|structure| structure.stored().all(|(_, field)| !field.always))
    }
}

/// The name of the parameter `revision`, if the body uses it.
pub(super) fn revision_in(body: &TokenStream) -> TokenStream {
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
