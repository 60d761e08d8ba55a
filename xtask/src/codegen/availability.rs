//! Which revision has what: the table behind `Revision`'s queries.

use super::capabilities;
use super::error::Result;
use super::merge::{Merged, MergedMember, MergedMethod, MergedStruct, MergedType, Shape};
use super::overlay::Overlay;
use super::span::bits;
use super::variants;
use proc_macro2::TokenStream;
use quote::quote;

/// The tables, and who has declared what.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let types = merged
        .types
        .iter()
        .map(|(name, ty)| type_info(merged, name, ty));
    let methods = merged
        .methods
        .iter()
        .map(|(name, entry)| method_info(merged, name, entry, overlay));
    let methods = methods.collect::<Result<Vec<_>>>()?;
    let declares = capabilities::declares(merged, overlay)?;
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
    let (fields, variants) = match &ty.shape {
        Shape::Struct(structure) => (fields(structure), vec![]),
        Shape::Union(members) => (vec![], union_variants(merged, name, members)),
        Shape::Enum(values) => {
            let variants = values.values.iter().map(|(value, known)| {
                let (variant, known) = (variants::of_value(merged, name, value), bits(known));
                quote!(VariantInfo::new(#variant, Some(#value), #known))
            });
            (vec![], variants.collect())
        }
    };
    quote!(TypeInfo::new(#name, #known, &[#(#fields),*], &[#(#variants),*]))
}

fn fields(structure: &MergedStruct) -> Vec<TokenStream> {
    let fields = structure.fields.iter().map(|(name, field)| {
        let (known, required) = (bits(&field.known), bits(&field.required));
        quote!(FieldInfo::new(#name, #known, #required))
    });
    fields.collect()
}

fn union_variants(merged: &Merged, name: &str, members: &[MergedMember]) -> Vec<TokenStream> {
    let names = variants::of_union(merged, name, members);
    let tags = match variants::tag(merged, members) {
        variants::Tag::Field { values, .. } => values.into_iter().map(Some).collect(),
        variants::Tag::Method => members.iter().map(|m| m.member.method.clone()).collect(),
        variants::Tag::Kind | variants::Tag::Key(_) | variants::Tag::BestMatch => {
            vec![None; members.len()]
        }
    };
    let variants = names
        .into_iter()
        .zip(tags)
        .zip(members)
        .map(|((name, tag), member)| {
            let known = bits(&member.known);
            let tag = match tag {
                Some(tag) => quote!(Some(#tag)),
                None => quote!(None),
            };
            quote!(VariantInfo::new(#name, #tag, #known))
        });
    variants.collect()
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
