//! Emits the body of `Conform` for structs.

use super::conform::Conform;
use super::span::only_in;
use crate::codegen::emit::rust::field_name;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{MergedField, MergedStruct, Set};
use crate::codegen::model::ir::Type;
use mcp_bindgen::code::names::ident;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Conform<'_> {
    /// Emits statements for all fields of a struct that the revisions `known` have.
    pub(crate) fn fields(
        &self,
        name: &str,
        structure: &MergedStruct,
        known: &Set,
    ) -> Result<TokenStream> {
        let fields = structure.stored();
        let fields = fields.map(|(wire, field)| self.field(name, wire, field, known));
        let mut body = fields.collect::<Result<TokenStream>>()?;
        if !structure.open.is_empty() {
            let closed = known - &structure.open;
            body.extend(only_in(
                self.merged,
                &closed,
                known,
                quote!(self.extra.clear();),
            ));
        }
        Ok(body)
    }

    fn field(
        &self,
        holder: &str,
        wire: &str,
        field: &MergedField,
        known: &Set,
    ) -> Result<TokenStream> {
        let name = ident(&field_name(holder, wire, self.overlay));
        let place = quote!(self.#name);
        let mut out = TokenStream::new();
        if !field.always {
            let gone = known - &field.known;
            out.extend(only_in(
                self.merged,
                &gone,
                known,
                quote!(fit::clear(&mut #place);),
            ));
        }
        if matches!(field.ty, Type::Json { .. }) {
            let object = if field.always {
                quote!(fit::object(&mut #place);)
            } else {
                quote!(fit::object_or_none(&mut #place);)
            };
            let is_object =
                |ty: &Type| matches!(ty, Type::Json { object: true } | Type::Object { .. });
            let objects = field.revisions(is_object);
            out.extend(only_in(self.merged, &objects, &field.known, object));
        }
        if !field.always && !field.required.is_empty() {
            if matches!(&field.ty, Type::Named(name) if self.is_droppable(name)) {
                out.extend(quote!(fit::keep(&mut #place, revision);));
            }
            let value = self.fill(
                &format!("{holder}.{wire}"),
                &field.ty,
                &quote!(revision.as_str()),
            )?;
            let fill = quote!(#place.get_or_insert_with(|| #value););
            out.extend(only_in(self.merged, &field.required, known, fill));
        }
        let inside = self.inside(field, &place);
        let visited = field.revisions(|ty| !matches!(ty, Type::Object { .. }));
        if !inside.is_empty() {
            out.extend(only_in(self.merged, &visited, &field.known, inside));
        }
        Ok(out)
    }

    fn inside(&self, field: &MergedField, place: &TokenStream) -> TokenStream {
        let limits = &field.limits;
        let own = match &field.ty {
            Type::Number => {
                let literal = |bound: Option<f64>| bound.map(Literal::f64_unsuffixed);
                let minimum = literal(limits.minimum);
                let minimum = minimum.map_or(quote!(f64::MIN), |bound| quote!(#bound));
                let maximum = literal(limits.maximum);
                let maximum = maximum.map_or(quote!(f64::MAX), |bound| quote!(#bound));
                quote!(fit::number(value, #minimum, #maximum);)
            }
            Type::List(_) => {
                let max_items = limits.max_items.and_then(|max| usize::try_from(max).ok());
                max_items.map_or(quote!(), |max| quote!(value.truncate(#max);))
            }
            // Some revisions allow one value but not a list of them.
            Type::OneOrMany(_) => {
                let lists = field.revisions(|ty| matches!(ty, Type::OneOrMany(_)));
                let single = &field.known - &lists;
                only_in(
                    self.merged,
                    &single,
                    &field.known,
                    quote!(fit::single(value);),
                )
            }
            _ => TokenStream::new(),
        };
        let own = match (own.is_empty(), field.is_option()) {
            (true, _) => own,
            (false, true) => quote!(if let Some(value) = &mut #place { #own }),
            (false, false) => quote!(let value = &mut #place; #own),
        };
        let is_visited = field.ty != Type::Number && self.conforms(&field.ty);
        let visit = is_visited.then(|| quote!(#place.conform(revision);));
        quote!(#own #visit)
    }
}
