//! `Conform` of structs: what happens to each field.

use super::conform::Conform;
use super::error::Result;
use super::ir::Type;
use super::merge::{MergedField, MergedStruct, MergedType, Set};
use super::rust::{field_name, ident};
use super::span::{condition, outside};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

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
        let fields = self
            .structure
            .stored()
            .map(|(wire, field)| self.field(wire, field));
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
            out.extend(
                self.unless(&field.known)
                    .map(|gone| quote!(if #gone { fit::clear(&mut #place); })),
            );
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
            let fill = self
                .conform
                .fill(&format!("{}.{wire}", self.name), &field.ty)?;
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
        if self.conform.is_droppable(&field.ty) || self.is_enum(field) {
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

    fn is_enum(&self, field: &MergedField) -> bool {
        use super::merge::Shape;
        let Type::Named(name) = &field.ty else {
            return false;
        };
        let ty = self.conform.merged.types.get(name);
        ty.is_some_and(|ty| matches!(&ty.shape, Shape::Enum(values) if values.open != ty.known))
    }

    /// When JSON kept as text has to be an object, and `not_object` says that it is none.
    fn object(&self, field: &MergedField, not_object: &TokenStream) -> Option<TokenStream> {
        let objects = field.by_revision.iter().filter_map(|(index, ty)| {
            matches!(ty, Type::Json { object: true } | Type::Object { .. }).then_some(*index)
        });
        let objects: Set = objects.collect();
        if objects.is_empty() || !matches!(field.ty, Type::Json { .. }) {
            return None;
        }
        // Where the field does not exist it is gone by now.
        Some(
            match condition(self.conform.merged, &objects, &field.known) {
                Some(condition) => quote!(#condition && #not_object),
                None => not_object.clone(),
            },
        )
    }

    /// Makes what is inside conform.
    fn inside(&self, field: &MergedField, place: &TokenStream) -> Option<TokenStream> {
        if !field.always && self.is_enum(field) {
            return None;
        }
        let value = if field.is_option() {
            quote!(value)
        } else {
            place.clone()
        };
        let visit = self
            .conform
            .visit(&field.ty, &value, field.limits.max_items);
        let single = self.single(field, &value);
        if visit.is_none() && single.is_none() {
            return None;
        }
        let opaque = field
            .by_revision
            .iter()
            .filter(|(_, ty)| matches!(ty, Type::Object { .. }));
        let opaque: Set = opaque.map(|(index, _)| *index).collect();
        let clear: Set = field.known.difference(&opaque).copied().collect();
        let condition = condition(self.conform.merged, &clear, &field.known);
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
        let lists = field
            .by_revision
            .iter()
            .filter(|(_, ty)| matches!(ty, Type::OneOrMany(_)));
        let lists: Set = lists.map(|(index, _)| *index).collect();
        let value = if field.is_option() {
            value.clone()
        } else {
            quote!(&mut #value)
        };
        outside(self.conform.merged, &lists, &field.known)
            .map(|condition| quote!(if #condition { fit::single(#value); }))
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
    let bound = |bound: Option<f64>, default| match bound {
        Some(bound) => {
            let literal = Literal::f64_unsuffixed(bound);
            quote!(#literal)
        }
        None => default,
    };
    let minimum = bound(field.limits.minimum, quote!(f64::MIN));
    let maximum = bound(field.limits.maximum, quote!(f64::MAX));
    match field.is_option() {
        false => quote!(fit::number(&mut #place, #minimum, #maximum);),
        true => quote! {
            if let Some(value) = &mut #place {
                fit::number(value, #minimum, #maximum);
            }
        },
    }
}
