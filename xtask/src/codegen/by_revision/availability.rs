//! Which revision has what: the table behind `Revision`'s queries.

use super::span::bits;
use crate::codegen::check::capabilities;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedMethod, MergedType, Shape};
use crate::codegen::merged::variants::{self, Tag};
use crate::codegen::overlay::file::Overlay;
use proc_macro2::TokenStream;
use quote::quote;

/// The tables, and who has declared what.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let types = merged.types.iter();
    let types = types.map(|(name, ty)| type_info(merged, name, ty));
    let methods = merged.methods.iter();
    let methods = methods.map(|(name, entry)| method_info(merged, name, entry, overlay));
    let methods = methods.collect::<Result<Vec<_>>>()?;
    let declares = capabilities::declares(merged, overlay);
    Ok(quote! {
        /// Every type of the model, by name.
        pub(crate) static TYPES: &[TypeInfo] = &[#(#types),*];

        /// Every method, by name.
        pub(crate) static METHODS: &[MethodInfo] = &[#(#methods),*];

        #declares
    })
}

fn type_info(merged: &Merged, name: &str, ty: &MergedType) -> TokenStream {
    let known = bits(&ty.known);
    let fields = merged
        .structure(name)
        .into_iter()
        .flat_map(|def| &def.fields);
    let fields = fields.map(|(name, field)| {
        let (known, required) = (bits(&field.known), bits(&field.required));
        quote!(FieldInfo::new(#name, #known, #required))
    });
    let is_tagged = match &ty.shape {
        Shape::Union(members) => {
            matches!(
                variants::tag(merged, members),
                Tag::Field { .. } | Tag::Method
            )
        }
        _ => true,
    };
    let variants = variants::of(merged, name).into_iter();
    let variants = variants.map(|(label, variant, known)| {
        let known = bits(known);
        let tag = match is_tagged {
            true => quote!(Some(#label)),
            false => quote!(None),
        };
        quote!(VariantInfo::new(#variant, #tag, #known))
    });
    quote!(TypeInfo::new(#name, #known, &[#(#fields),*], &[#(#variants),*]))
}

fn method_info(
    merged: &Merged,
    name: &str,
    entry: &MergedMethod,
    overlay: &Overlay,
) -> Result<TokenStream> {
    let request = entry.method.request;
    let known = bits(&entry.known);
    let (client, server) = (bits(&entry.by_client), bits(&entry.by_server));
    let (required, may_ask) = (bits(&entry.params_required), bits(&entry.alternative));
    let gates = capabilities::of_method(merged, overlay, name)?;
    Ok(quote! {
        MethodInfo {
            name: #name,
            is_request: #request,
            revisions: Revisions(#known),
            by_client: Revisions(#client),
            by_server: Revisions(#server),
            params_required: Revisions(#required),
            may_require_input: Revisions(#may_ask),
            capabilities: &[#(#gates),*],
        }
    })
}
