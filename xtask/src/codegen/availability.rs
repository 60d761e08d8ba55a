//! Which revision has what: the table behind `Revision`'s queries.

use super::error::{Error, Result};
use super::ir::Type;
use super::merge::{Merged, MergedMember, MergedMethod, MergedStruct, MergedType, Shape};
use super::overlay::{Capability, Overlay};
use super::rust::{self, ident};
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
    let client = declares(merged, overlay, "client", "ClientCapabilities")?;
    let server = declares(merged, overlay, "server", "ServerCapabilities")?;
    Ok(quote! {
        /// Every type of the model, by name.
        pub(crate) static TYPES: &[TypeInfo] = &[#(#types),*];

        /// Every method, by name.
        pub(crate) static METHODS: &[MethodInfo] = &[#(#methods),*];

        #client
        #server
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
        _ => vec![None; members.len()],
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
    let gates = overlay.capability.iter().filter(|gate| gate.method == name);
    let gates = gates.map(|gate| {
        let side = side(gate)?;
        let (path, known) = (&gate.path, bits(&declarable(merged, gate)?));
        Ok(quote!(CapabilityInfo::new(#side, #path, #known)))
    });
    let gates = gates.collect::<Result<Vec<_>>>()?;
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

fn side(gate: &Capability) -> Result<TokenStream> {
    match gate.of.as_str() {
        "client" => Ok(quote!(Side::Client)),
        "server" => Ok(quote!(Side::Server)),
        of => Err(Error::conflict(
            &gate.method,
            format!("`{of}` has no capabilities"),
        )),
    }
}

/// The revisions in which a capability can be declared.
fn declarable(merged: &Merged, gate: &Capability) -> Result<super::merge::Set> {
    let mut name = match gate.of.as_str() {
        "client" => "ClientCapabilities".to_owned(),
        _ => "ServerCapabilities".to_owned(),
    };
    let mut known = None;
    for part in gate.path.split('.') {
        let field = merged
            .structure(&name)
            .and_then(|structure| structure.fields.get(part));
        let field = field.ok_or_else(|| Error::conflict(&gate.path, "no such capability"))?;
        known = Some(field.known.clone());
        name = field.ty.name().unwrap_or_default().to_owned();
    }
    Ok(known.unwrap_or_default())
}

/// `declares` of one side's capabilities.
fn declares(merged: &Merged, overlay: &Overlay, of: &str, name: &str) -> Result<TokenStream> {
    let mut paths: Vec<_> = overlay
        .capability
        .iter()
        .filter(|gate| gate.of == of)
        .collect();
    paths.sort_by(|a, b| a.path.cmp(&b.path));
    paths.dedup_by(|a, b| a.path == b.path);
    let arms = paths.iter().map(|gate| {
        declarable(merged, gate)?;
        let path = &gate.path;
        let test = declared(merged, overlay, name, path, &quote!(self));
        Ok(quote!(#path => #test))
    });
    let arms = arms.collect::<Result<Vec<_>>>()?;
    let name = ident(name);
    Ok(quote! {
        impl #name {
            /// Whether the capability at `path`, such as `resources.subscribe`, is declared.
            ///
            /// Known are the paths that [`MethodInfo::capabilities`] names.
            #[must_use]
            pub fn declares(&self, path: &str) -> bool {
                match path { #(#arms,)* _ => false }
            }
        }
    })
}

fn declared(
    merged: &Merged,
    overlay: &Overlay,
    name: &str,
    path: &str,
    holder: &TokenStream,
) -> TokenStream {
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(a, b)| (a, Some(b)));
    let field = ident(&rust::field_name(name, first, overlay));
    let ty = merged
        .structure(name)
        .and_then(|structure| structure.fields.get(first));
    let inner = ty.and_then(|field| field.ty.name()).unwrap_or_default();
    match (rest, ty.map(|field| &field.ty)) {
        (Some(rest), _) => {
            let test = declared(merged, overlay, inner, rest, &quote!(inner));
            quote!(#holder.#field.as_ref().is_some_and(|inner| #test))
        }
        (None, Some(Type::Bool)) => quote!(#holder.#field == Some(true)),
        (None, _) => quote!(#holder.#field.is_some()),
    }
}
