//! Emits the availability tables, which answer the queries of `Revision`.

use super::span::bits;
use crate::codegen::check::capabilities;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedMethod, MergedType, Shape};
use crate::codegen::merged::variants::{self, Tag};
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use proc_macro2::TokenStream;
use quote::quote;

/// Emits the tables, and the functions that find declared capabilities.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let types = merged.types.iter();
    let types = types.map(|(name, ty)| type_info(merged, overlay, name, ty));
    let methods = merged.methods.iter();
    let methods = methods.map(|(name, entry)| method_info(merged, name, entry, overlay));
    let methods = methods.collect::<Result<Vec<_>>>()?;
    let declares = capabilities::declares(merged, overlay);
    Ok(quote! {
        /// All types of the model, sorted by name.
        pub(crate) static TYPES: &[TypeInfo] = &[#(#types),*];

        /// All methods, sorted by name.
        pub(crate) static METHODS: &[MethodInfo] = &[#(#methods),*];

        #declares
    })
}

fn type_info(merged: &Merged, overlay: &Overlay, name: &str, ty: &MergedType) -> TokenStream {
    let known = bits(&ty.known);
    let fields = merged
        .structure(name)
        .into_iter()
        .flat_map(|def| &def.fields);
    let fields = fields.map(|(wire, field)| {
        let known = bits(&field.known);
        let required = bits(&field.required);
        let mut kind = match overlay.from_zero.at(&format!("{name}.{wire}")) {
            Some(_) => "limited".to_owned(),
            None => kind(&field.ty),
        };
        kind.extend(field.is_option().then_some('?'));
        quote!(FieldInfo::new(#wire, #known, #required, #kind))
    });
    let (is_tagged, members) = match &ty.shape {
        Shape::Union(members) => match variants::tag(merged, members) {
            // The table of methods has the parameters of messages.
            Tag::Method => (true, &[][..]),
            tag => (matches!(tag, Tag::Field { .. }), &members[..]),
        },
        _ => (true, &[][..]),
    };
    let mut members = members.iter().map(|member| kind(&member.member.ty));
    let variants = variants::of(merged, name).into_iter();
    let variants = variants.map(|(label, variant, known)| {
        let known = bits(known);
        let tag = if is_tagged {
            quote!(Some(#label))
        } else {
            quote!(None)
        };
        let kind = members.next().map(|kind| quote!(.of(#kind)));
        quote!(VariantInfo::new(#variant, #tag, #known) #kind)
    });
    quote!(TypeInfo::new(#name, #known, &[#(#fields),*], &[#(#variants),*]))
}

/// Formats a type as in `FieldInfo::kind`.
fn kind(ty: &Type) -> String {
    match ty {
        Type::Text => "string".to_owned(),
        Type::Integer { signed: true } => "integer".to_owned(),
        Type::Integer { signed: false } => "natural".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Json { object: true } => "object".to_owned(),
        Type::Json { object: false } => "any".to_owned(),
        Type::Object { .. } => "value{}".to_owned(),
        Type::Constant(value) => format!("'{value}'"),
        Type::Named(name) => name.clone(),
        Type::List(item) => kind(item) + "[]",
        Type::Map(item) => kind(item) + "{}",
        Type::OneOrMany(item) => kind(item) + "+",
        Type::Nullable(inner) => kind(inner) + "?",
    }
}

fn method_info(
    merged: &Merged,
    name: &str,
    entry: &MergedMethod,
    overlay: &Overlay,
) -> Result<TokenStream> {
    let request = entry.method.request;
    let known = bits(&entry.known);
    let client = bits(&entry.by_client);
    let server = bits(&entry.by_server);
    let required = bits(&entry.params_required);
    let may_ask = bits(&entry.alternative);
    let params = &entry.method.params;
    let result = &entry.method.result;
    let result = result.as_deref().unwrap_or_default();
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
            types: (#params, #result),
            capabilities: &[#(#gates),*],
        }
    })
}
