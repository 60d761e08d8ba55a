//! typify's structs in, the model's structs out.
//!
//! Adds what typify cannot know: the constant that tells a type apart,
//! constructors and setters, documentation, short paths, and unknown fields
//! where the schema invites them.

use super::arguments::constructor_order;
use super::docs::Docs;
use super::ir::Type;
use super::merge::{Merged, MergedField, MergedStruct, Shape};
use super::overlay::Overlay;
use super::rust::{self, ident};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;
use syn::visit_mut::VisitMut;

/// All structs, in alphabetical order.
pub(crate) fn emit(
    merged: &Merged,
    overlay: &Overlay,
    docs: &Docs<'_>,
    printed: &BTreeMap<String, syn::ItemStruct>,
) -> TokenStream {
    let mut out = TokenStream::new();
    for (name, ty) in &merged.types {
        if let (Shape::Struct(structure), Some(printed)) = (&ty.shape, printed.get(name)) {
            let emitter = Emitter {
                merged,
                overlay,
                docs,
                name,
                structure,
            };
            let doc = docs.of(name, &ty.known);
            out.extend(emitter.item(&doc, printed.clone()));
            out.extend(emitter.methods());
        }
    }
    out
}

struct Emitter<'a> {
    merged: &'a Merged,
    overlay: &'a Overlay,
    docs: &'a Docs<'a>,
    name: &'a str,
    structure: &'a MergedStruct,
}

impl Emitter<'_> {
    /// The struct itself, as typify prints it, with what the schema can't say.
    fn item(&self, doc: &TokenStream, mut item: syn::ItemStruct) -> TokenStream {
        let open = !self.structure.open.is_empty();
        ShortPaths.visit_item_struct_mut(&mut item);
        let name = &item.ident;
        let all_optional = self.structure.stored().all(|(_, field)| !field.always);
        let default = all_optional.then(|| quote!(, Default));
        let printed: BTreeMap<_, _> = item
            .fields
            .iter()
            .map(|field| (wire_name(field), &field.ty))
            .collect();
        let fields = self
            .structure
            .stored()
            .filter_map(|(wire, field)| Some(self.field(wire, field, printed.get(wire)?)));
        let extra = open.then(|| {
            quote! {
                /// Fields that the schema does not name but allows.
                #[serde(flatten)]
                pub extra: JsonObject,
            }
        });
        let tag = self
            .structure
            .constant()
            .map(|(field, value)| quote!(#[serde(tag = #field, rename = #value)]));
        quote! {
            #doc
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize #default)]
            #tag
            #[non_exhaustive]
            pub struct #name { #(#fields,)* #extra }
        }
    }

    fn field(&self, wire: &str, field: &MergedField, ty: &syn::Type) -> TokenStream {
        let doc = self.docs.of(&format!("{}.{wire}", self.name), &field.known);
        let rust_name = rust::field_name(self.name, wire, self.overlay);
        let name = ident(&rust_name);
        let renamed = (rust_name != wire).then(|| quote!(rename = #wire));
        let optional =
            (!field.always).then(|| quote!(default, skip_serializing_if = "Option::is_none"));
        let conversion = self.conversion(wire, field);
        let attributes: Vec<_> = [renamed, optional, conversion]
            .into_iter()
            .flatten()
            .collect();
        let serde = (!attributes.is_empty()).then(|| quote!(#[serde(#(#attributes),*)]));
        quote!(#doc #serde pub #name: #ty)
    }

    /// The functions by which a field is read or written that serde's derives get wrong.
    fn conversion(&self, wire: &str, field: &MergedField) -> Option<TokenStream> {
        let from_zero = self.overlay.is_from_zero(&format!("{}.{wire}", self.name));
        match (&field.ty, field.always) {
            (Type::Number, true) => Some(quote!(serialize_with = "number::whole")),
            (Type::Number, false) => Some(quote!(serialize_with = "number::whole_option")),
            (Type::Integer { signed: false }, false) if from_zero => {
                Some(quote!(deserialize_with = "number::from_zero"))
            }
            (Type::Integer { .. }, true) if field.nullable => {
                Some(quote!(default, with = "number::integer_option"))
            }
            (Type::Integer { .. }, true) => Some(quote!(with = "number::integer")),
            (Type::Integer { .. }, false) => Some(quote!(with = "number::integer_option")),
            // Where anything is allowed, null is a value.
            (Type::Json { object: false }, false) => Some(quote!(deserialize_with = "raw::some")),
            _ => None,
        }
    }

    /// The constructor and the setters.
    fn methods(&self) -> TokenStream {
        let name = ident(self.name);
        let constructor = self.constructor();
        let setters = self.structure.stored().filter(|(_, field)| !field.always);
        let setters = setters.map(|(wire, field)| self.setter(wire, field));
        quote! {
            impl #name {
                #constructor
                #(#setters)*
            }
        }
    }

    fn constructor(&self) -> TokenStream {
        let required = constructor_order(self.name, self.structure, self.overlay);
        let mut arguments = Vec::new();
        let mut inits = Vec::new();
        for (wire, field) in required {
            let name = ident(&rust::field_name(self.name, wire, self.overlay));
            let (argument, stored) = match field.nullable {
                true => {
                    let ty = rust::stored(&field.ty);
                    (quote!(Option<#ty>), quote!(#name))
                }
                false => rust::argument(&field.ty, &name, self.merged),
            };
            arguments.push(quote!(#name: #argument));
            let stored = if name == stored.to_string() {
                quote!(#name)
            } else {
                quote!(#name: #stored)
            };
            inits.push(stored);
        }
        let optional = self.structure.stored().filter(|(_, field)| !field.always);
        for (wire, _) in optional {
            let name = ident(&rust::field_name(self.name, wire, self.overlay));
            inits.push(quote!(#name: None));
        }
        if !self.structure.open.is_empty() {
            inits.push(quote!(extra: JsonObject::new()));
        }
        let doc = if arguments.is_empty() {
            " A value with all fields absent."
        } else {
            " A value with the required fields, and no other."
        };
        quote! {
            #[doc = #doc]
            #[must_use]
            pub fn new(#(#arguments),*) -> Self { Self { #(#inits),* } }
        }
    }

    fn setter(&self, wire: &str, field: &MergedField) -> TokenStream {
        let rust_name = rust::field_name(self.name, wire, self.overlay);
        let name = ident(&rust_name);
        let setter = ident(&format!("with_{rust_name}"));
        let (argument, stored) = rust::argument(&field.ty, &name, self.merged);
        let doc = format!(" Sets [`{rust_name}`](Self::{rust_name}).");
        quote! {
            #[doc = #doc]
            #[must_use]
            pub fn #setter(mut self, #name: #argument) -> Self {
                self.#name = Some(#stored);
                self
            }
        }
    }
}

/// The name on the wire of a field that typify printed.
fn wire_name(field: &syn::Field) -> String {
    let mut name = field
        .ident
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    for attribute in field
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"))
    {
        let _ = attribute.parse_nested_meta(|meta| {
            if let Ok(value) = meta
                .value()
                .and_then(syn::parse::ParseBuffer::parse::<syn::LitStr>)
                && meta.path.is_ident("rename")
            {
                name = value.value();
            }
            Ok(())
        });
    }
    name.trim_start_matches("r#").to_owned()
}

/// `::std::option::Option` as `Option`.
struct ShortPaths;

impl VisitMut for ShortPaths {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        let std = path
            .segments
            .first()
            .is_some_and(|first| first.ident == "std");
        if std && let Some(last) = path.segments.pop() {
            path.leading_colon = None;
            path.segments = std::iter::once(last).collect();
        }
        syn::visit_mut::visit_path_mut(self, path);
    }
}
