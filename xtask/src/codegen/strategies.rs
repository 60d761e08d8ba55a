//! proptest strategies for every type, and where each schema has it.
//!
//! They are for the tests of `mcp-types` and lie beside them: whatever the
//! model can hold is generated, and a judge that knows only the schemas looks
//! at what becomes of it.

use super::arguments::constructor_order;
use super::ir::Type;
use super::merge::{Merged, MergedEnum, MergedMember, MergedStruct, MergedType, Shape};
use super::names::snake;
use super::overlay::Overlay;
use super::rust::{self, ident};
use super::span::variant;
use super::variants;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

/// The strategies and the table of cases.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> TokenStream {
    let strategies = merged
        .types
        .iter()
        .map(|(name, ty)| strategy(merged, overlay, name, ty));
    let cases = merged
        .types
        .iter()
        .map(|(name, ty)| case(merged, overlay, name, ty));
    let repairs = overlay.repair.matching(|_| true).map(|repair| {
        let revisions: Vec<_> = match &repair.revisions {
            Some(revisions) => revisions.iter().collect(),
            None => merged.revisions.iter().collect(),
        };
        let (at, set) = (&repair.at, &repair.set);
        quote!(Repair { revisions: &[#(#revisions),*], at: #at, set: #set })
    });
    let raw = overlay
        .raw
        .matching(|_| true)
        .map(|place| place.at.rsplit('.').next().unwrap_or_default());
    quote! {
        /// Known mistakes of the published schemas.
        pub(crate) const REPAIRS: &[Repair] = &[#(#repairs),*];

        /// Properties that the model keeps as text, whatever is in them.
        pub(crate) const RAW: &[&str] = &[#(#raw),*];

        /// Every type that a stored schema has.
        pub(crate) fn cases() -> Vec<Case> { Vec::from([#(#cases),*]) }

        #(#strategies)*
    }
}

fn case(merged: &Merged, overlay: &Overlay, name: &str, ty: &MergedType) -> TokenStream {
    let places = ty.origins.iter().map(|(index, pointer)| {
        let revision = ident(&variant(&merged.revisions[*index]));
        quote!((Revision::#revision, #pointer))
    });
    let function = function(name);
    let conform = match &ty.shape {
        Shape::Struct(_) => quote!(|value, revision| {
            value.conform(revision);
            true
        }),
        Shape::Enum(_) if overlay.replacement(name).is_none() => {
            quote!(|value, revision| value.exists_in(revision))
        }
        Shape::Enum(_) | Shape::Union(_) => quote!(|value, revision| {
            value.conform(revision);
            value.exists_in(revision)
        }),
    };
    quote!(Case::new(#name, &[#(#places),*], #function, #conform))
}

fn strategy(merged: &Merged, overlay: &Overlay, name: &str, ty: &MergedType) -> TokenStream {
    let function = function(name);
    let body = match &ty.shape {
        Shape::Struct(structure) => of_struct(merged, overlay, name, structure),
        Shape::Enum(values) => of_enum(name, values),
        Shape::Union(members) => of_union(merged, name, members),
    };
    let name = ident(name);
    quote! {
        fn #function() -> BoxedStrategy<mcp_types::#name> { #body }
    }
}

/// The function that makes the strategy of a type.
fn function(name: &str) -> Ident {
    ident(&format!("any_{}", snake(name)))
}

fn of_struct(
    merged: &Merged,
    overlay: &Overlay,
    name: &str,
    structure: &MergedStruct,
) -> TokenStream {
    let required = constructor_order(name, structure, overlay);
    let arguments: Vec<_> = required
        .iter()
        .map(|(wire, _)| ident(&rust::field_name(name, wire, overlay)))
        .collect();
    let values = required.iter().map(|(_, field)| match &field.ty {
        Type::List(item) if is_circular(item, name, merged) => quote!(Just(Vec::new()).boxed()),
        Type::Map(item) if is_circular(item, name, merged) => {
            quote!(Just(mcp_types::OrderedMap::new()).boxed())
        }
        ty if field.nullable => {
            let value = of_type(ty);
            quote!(option::of(#value))
        }
        ty => of_type(ty),
    });
    let type_name = ident(name);
    let base = match arguments.is_empty() {
        true => quote!(Just(mcp_types::#type_name::new()).boxed()),
        false => {
            let values = tuple(values.collect());
            let pattern = tuple(arguments.iter().map(ToTokens::to_token_stream).collect());
            quote! {
                #values.prop_map(|#pattern| mcp_types::#type_name::new(#(#arguments),*)).boxed()
            }
        }
    };
    let setters = structure
        .stored()
        .filter(|(_, field)| !field.always && !is_circular(&field.ty, name, merged))
        .map(|(wire, field)| {
            let name = ident(&rust::field_name(name, wire, overlay));
            let value = of_type(&field.ty);
            // Such a field may be boxed.
            let boxed = matches!(&field.ty, Type::Named(part) if rust::is_recursive(part, merged));
            let into = boxed.then(|| quote!(.map(Into::into)));
            quote!(.with(#value, |all, value| all.#name = value #into))
        });
    let extra = (!structure.open.is_empty()).then(|| {
        quote! {
            .with(extra(), |all, value| all.extra = value.unwrap_or_default())
        }
    });
    quote!(#base #(#setters)* #extra)
}

/// A tuple of tuples where it is too long for proptest.
fn tuple(parts: Vec<TokenStream>) -> TokenStream {
    if parts.len() <= 10 {
        return quote!((#(#parts,)*));
    }
    let parts = parts.chunks(parts.len().div_ceil(10));
    tuple(parts.map(|part| tuple(part.to_vec())).collect())
}

/// Whether the strategy for `ty`, as a part of `holder`, would need the one for `holder`.
fn is_circular(ty: &Type, holder: &str, merged: &Merged) -> bool {
    let name = ty.name();
    name.is_some_and(|name| name == holder || rust::contains(name, holder, merged, Type::name))
}

fn of_enum(name: &str, values: &MergedEnum) -> TokenStream {
    let name = ident(name);
    let values = values.values.keys();
    quote! {
        select(vec![#(mcp_types::#name::from(#values),)* mcp_types::#name::from("unheard-of")]).boxed()
    }
}

fn of_union(merged: &Merged, name: &str, members: &[MergedMember]) -> TokenStream {
    let variants = variants::of_union(merged, name, members);
    let finite = |member: &MergedMember| !is_circular(&member.member.ty, name, merged);
    let arms = members
        .iter()
        .zip(variants)
        .filter(|(member, _)| finite(member));
    let name = ident(name);
    let arms = arms.map(|(member, variant)| {
        let variant = ident(&variant);
        let mut value = of_type(&member.member.ty);
        if rust::is_boxed(&member.member.ty, merged) {
            value = quote!(#value.prop_map(Box::new));
        }
        if merged.optional_params(&member.member).is_some() {
            value = quote!(option::of(#value));
        }
        quote!(#value.prop_map(mcp_types::#name::#variant).boxed())
    });
    quote!(one_of([#(#arms,)* unheard_of().prop_map(mcp_types::#name::Unknown).boxed()]))
}

/// The strategy for a value of that type.
fn of_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Text | Type::Constant(_) => quote!(text()),
        Type::Integer { signed: true } => quote!(signed()),
        Type::Integer { signed: false } => quote!(unsigned()),
        Type::Number => quote!(number()),
        Type::Bool => quote!(flag()),
        Type::Json { object: true } => quote!(raw_object()),
        Type::Json { object: false } => quote!(raw_json()),
        Type::Object { .. } => quote!(object()),
        Type::Named(name) => {
            let function = function(name);
            quote!(#function())
        }
        Type::List(item) => {
            let item = of_type(item);
            quote!(list(#item))
        }
        Type::Map(item) => {
            let item = of_type(item);
            quote!(map(#item))
        }
        Type::OneOrMany(item) => {
            let item = of_type(item);
            quote!(one_or_many(#item))
        }
        Type::Nullable(inner) => {
            let inner = of_type(inner);
            quote!(option::of(#inner).boxed())
        }
    }
}
