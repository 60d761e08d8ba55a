//! Emits implementations of `Conform`, which convert a value to a revision.
//!
//! The conversion removes fields that the revision lacks, fills required fields, and replaces values
//! that the revision cannot express by the nearest one that it can.

use super::span::{bits, condition, only_in};
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedMember, MergedType, Shape};
use crate::codegen::merged::variants::{self, Tag};
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;
use std::iter::successors;

/// Emits the code of values and of `Conform`.
pub(crate) struct Conform<'a> {
    pub(crate) merged: &'a Merged,
    pub(crate) overlay: &'a Overlay,
}

pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let conform = Conform { merged, overlay };
    let types = merged.types.iter();
    let types = types.map(|(name, ty)| conform.implementation(name, ty));
    types.collect()
}

impl Conform<'_> {
    fn implementation(&self, name: &str, ty: &MergedType) -> Result<TokenStream> {
        let nearest = self.overlay.replacement(name);
        let mut support = match ty.shape {
            Shape::Struct(_) => TokenStream::new(),
            Shape::Union(_) | Shape::Enum(_) => self.exists(name, ty),
        };
        let body = match &ty.shape {
            Shape::Struct(structure) => self.fields(name, structure, &ty.known)?,
            Shape::Union(members) => {
                if let Some(nearest) = nearest {
                    support.extend(self.nearest(name, ty, members, nearest)?);
                }
                self.union_body(name, members)
            }
            Shape::Enum(_) => {
                let value = nearest.and_then(|nearest| nearest.value.as_ref());
                value.map_or(quote!(), |value| replaced(&quote!(Self::from(#value))))
            }
        };
        let is_kept = self.is_droppable(name).then(|| {
            quote! {
                fn is_kept(&self, revision: Revision) -> bool { self.exists_in(revision) }
            }
        });
        let name = ident(name);
        Ok(quote! {
            #support

            impl Conform for #name {
                fn conform(&mut self, revision: Revision) { #body }

                #is_kept
            }
        })
    }

    fn union_body(&self, name: &str, members: &[MergedMember]) -> TokenStream {
        let nearest = self.overlay.replacement(name).map(|_| {
            let nearest = quote!(Self::from_text(self.describe()));
            match variants::tag(self.merged, members) {
                Tag::BestMatch => {
                    let known = members.iter().map(|member| bits(&member.known));
                    let refitted = quote!(fit::refit(self, &[#(#known),*], revision));
                    replaced(&quote!(#refitted.unwrap_or_else(|| #nearest)))
                }
                _ => replaced(&nearest),
            }
        });
        let variants = variants::of(self.merged, name);
        let members = members.iter().zip(variants);
        let members = members.filter(|(member, _)| self.conforms(&member.member.ty));
        let arms = members.map(|(member, (_, variant, _))| {
            let variant = ident(&variant);
            let fill = self.merged.optional_params(&member.member).map(|method| {
                let fill = quote!(value.get_or_insert_default(););
                only_in(self.merged, &method.params_required, &member.known, fill)
            });
            quote!(Self::#variant(value) => { #fill value.conform(revision); })
        });
        quote!(#nearest match self { #(#arms)* _ => {} })
    }

    /// Emits `exists_in` for an enum or union.
    fn exists(&self, name: &str, ty: &MergedType) -> TokenStream {
        let variants = variants::expressible(self.merged, name);
        let arms = variants.iter().filter_map(|(_, variant, known)| {
            let variant = ident(variant);
            let condition = condition(self.merged, known, &ty.known)?;
            Some(quote!(Self::#variant { .. } => #condition,))
        });
        let name = ident(name);
        quote! {
            impl #name {
                /// Returns true if a message of `revision` can contain this value.
                #[must_use]
                pub fn exists_in(&self, revision: Revision) -> bool {
                    match self { #(#arms)* _ => true }
                }
            }
        }
    }

    /// Returns true if a value that cannot be expressed is left out rather than replaced.
    pub(crate) fn is_droppable(&self, name: &str) -> bool {
        match self.merged.types.get(name).map(|ty| (&ty.shape, &ty.known)) {
            Some((Shape::Enum(values), known)) => values.open != *known,
            Some((Shape::Union(_), _)) => self.overlay.replacement(name).is_none(),
            Some((Shape::Struct(_), _)) | None => false,
        }
    }

    /// Returns true if the Rust type, or the type inside its lists and maps, implements `Conform`.
    pub(crate) fn conforms(&self, ty: &Type) -> bool {
        match successors(Some(ty), |ty| ty.element()).last() {
            Some(Type::Named(name)) => self.merged.types.contains_key(name),
            core => core == Some(&Type::Number),
        }
    }
}

/// Emits statements that replace a value that the revision lacks.
fn replaced(nearest: &TokenStream) -> TokenStream {
    quote! {
        if !self.exists_in(revision) {
            *self = #nearest;
        }
    }
}
