//! `Conform` of structs: what happens to each field.

use super::conform::Conform;
use super::span::{condition, outside};
use super::values::insertion;
use crate::codegen::emit::rust::{field_name, ident};
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{MergedField, MergedStruct, MergedType, Set};
use crate::codegen::model::ir::Type;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// One struct, while its code is put together.
pub(crate) struct Fields<'a> {
    pub(crate) conform: &'a Conform<'a>,
    pub(crate) name: &'a str,
    pub(crate) ty: &'a MergedType,
    pub(crate) structure: &'a MergedStruct,
}

impl Fields<'_> {
    /// The statements for all fields.
    pub(crate) fn body(&self) -> Result<TokenStream> {
        let fields = self.structure.stored();
        let fields = fields.map(|(wire, field)| self.field(wire, field));
        let mut body = fields.collect::<Result<TokenStream>>()?;
        if !self.structure.open.is_empty()
            && let Some(closed) = self.unless(&self.structure.open)
        {
            body.extend(quote!(if #closed { self.extra.clear(); }));
        }
        Ok(body)
    }

    fn field(&self, wire: &str, field: &MergedField) -> Result<TokenStream> {
        let name = ident(&field_name(self.name, wire, self.conform.overlay));
        let place = quote!(self.#name);
        let mut out = TokenStream::new();
        if !field.always {
            let gone = self.unless(&field.known);
            out.extend(gone.map(|gone| quote!(if #gone { fit::clear(&mut #place); })));
            out.extend(self.unfit(field, &place));
        }
        if field.ty == Type::Number {
            out.extend(number(field, &place));
            return Ok(out);
        }
        if field.always {
            let not_object = self.object(field, &quote!(!#place.is_object()));
            out.extend(not_object.map(|condition| {
                quote! {
                    if #condition { #place = RawJson::empty_object(); }
                }
            }));
        } else if !field.required.is_empty() {
            let fill = format!("{}.{wire}", self.name);
            let fill = self.conform.fill(&fill, &field.ty)?;
            let fill = insertion(&field.ty, fill);
            let fill = quote!(#place.#fill;);
            out.extend(match self.when(&field.required) {
                Some(condition) => quote!(if #condition { #fill }),
                None => fill,
            });
        }
        out.extend(self.inside(field, &place));
        Ok(out)
    }

    /// Removes a value that the revision cannot express.
    fn unfit(&self, field: &MergedField, place: &TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        if self.conform.is_droppable(&field.ty) {
            out.extend(quote! {
                if #place.as_ref().is_some_and(|value| !value.exists_in(revision)) {
                    fit::clear(&mut #place);
                }
            });
        }
        let not_object = quote!(#place.as_ref().is_some_and(|value| !value.is_object()));
        if let Some(condition) = self.object(field, &not_object) {
            out.extend(quote!(if #condition { fit::clear(&mut #place); }));
        }
        out
    }

    /// When JSON kept as text has to be an object, and `not_object` says that it is none.
    fn object(&self, field: &MergedField, not_object: &TokenStream) -> Option<TokenStream> {
        let is_object = |ty: &Type| matches!(ty, Type::Json { object: true } | Type::Object { .. });
        let objects = field.revisions(is_object);
        if objects.is_empty() || !matches!(field.ty, Type::Json { .. }) {
            return None;
        }
        // Where the field does not exist it is gone by now.
        let condition = condition(self.conform.merged, &objects, &field.known);
        Some(match condition {
            Some(condition) => quote!(#condition && #not_object),
            None => not_object.clone(),
        })
    }

    /// Makes what is inside conform.
    fn inside(&self, field: &MergedField, place: &TokenStream) -> Option<TokenStream> {
        let (conform, ty) = (self.conform, &field.ty);
        if !field.always && conform.is_droppable(ty) && !conform.has_parts(ty) {
            return None;
        }
        let value = match field.is_option() {
            true => quote!(value),
            false => place.clone(),
        };
        let visit = conform.visit(ty, &value, field.limits.max_items);
        let single = self.single(field, &value);
        if visit.is_none() && single.is_none() {
            return None;
        }
        let clear = field.revisions(|ty| !matches!(ty, Type::Object { .. }));
        let condition = condition(conform.merged, &clear, &field.known);
        Some(match (field.is_option(), condition) {
            (false, None) => quote!(#single #visit),
            (false, Some(condition)) => quote!(if #condition { #single #visit }),
            (true, None) => quote!(if let Some(value) = &mut #place { #single #visit }),
            (true, Some(condition)) => {
                quote!(if #condition && let Some(value) = &mut #place { #single #visit })
            }
        })
    }

    /// Revisions that allow one value but not a list of them.
    fn single(&self, field: &MergedField, value: &TokenStream) -> Option<TokenStream> {
        if !matches!(field.ty, Type::OneOrMany(_)) {
            return None;
        }
        let lists = field.revisions(|ty| matches!(ty, Type::OneOrMany(_)));
        let condition = outside(self.conform.merged, &lists, &field.known)?;
        let borrow = (!field.is_option()).then(|| quote!(&mut));
        Some(quote!(if #condition { fit::single(#borrow #value); }))
    }

    fn when(&self, set: &Set) -> Option<TokenStream> {
        condition(self.conform.merged, set, &self.ty.known)
    }

    fn unless(&self, set: &Set) -> Option<TokenStream> {
        outside(self.conform.merged, set, &self.ty.known)
    }
}

/// Brings a number into its range.
fn number(field: &MergedField, place: &TokenStream) -> TokenStream {
    let literal = |bound| Literal::f64_unsuffixed(bound).to_token_stream();
    let (minimum, maximum) = (field.limits.minimum, field.limits.maximum);
    let minimum = minimum.map_or(quote!(f64::MIN), literal);
    let maximum = maximum.map_or(quote!(f64::MAX), literal);
    match field.is_option() {
        false => quote!(fit::number(&mut #place, #minimum, #maximum);),
        true => quote! {
            if let Some(value) = &mut #place {
                fit::number(value, #minimum, #maximum);
            }
        },
    }
}
