//! typify's structs in, the model's structs out.
//!
//! Adds what typify cannot know: the constant that tells a type apart,
//! constructors and setters, documentation, short paths, and unknown fields
//! where the schema invites them.

use super::decoders;
use super::docs::Docs;
use super::ir::Type;
use super::merge::{Merged, MergedField, MergedStruct, Shape};
use super::objects;
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
            out.extend(emitter.encode());
            out.extend(objects::of_struct(name, structure, overlay));
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
    /// The struct itself.
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
                pub extra: JsonObject,
            }
        });
        let debug = decoders::debug(name);
        quote! {
            #doc
            #[derive(Clone, PartialEq #default)]
            #[non_exhaustive]
            pub struct #name { #(#fields,)* #extra }

            #debug
        }
    }

    fn field(&self, wire: &str, field: &MergedField, ty: &syn::Type) -> TokenStream {
        let doc = self.docs.of(&format!("{}.{wire}", self.name), &field.known);
        let rust_name = rust::field_name(wire, self.overlay);
        let name = ident(&rust_name);
        quote!(#doc pub #name: #ty)
    }

    /// How it is written: first what tells it apart, and last what the schema does not name.
    fn encode(&self) -> TokenStream {
        let constant = self.structure.constant().map(|(field, value)| {
            let field = field_name(field);
            quote!(object.field(#field, &#value);)
        });
        let fields = self.structure.stored().map(|(wire, field)| {
            let name = ident(&rust::field_name(wire, self.overlay));
            let wire = field_name(wire);
            let method = match (field.always, field.nullable, &field.ty) {
                (true, false, Type::Text) => quote!(text),
                (true, ..) => quote!(field),
                (false, _, Type::Text) => quote!(optional_text),
                (false, ..) => quote!(optional),
            };
            quote!(object.#method(#wire, &self.#name);)
        });
        let open = !self.structure.open.is_empty();
        let extra = open.then(|| quote!(object.entries(&self.extra);));
        let body = match constant.is_none() && self.structure.stored().next().is_none() && !open {
            true => quote!(to.object().end();),
            false => quote! {
                let mut object = to.object();
                #constant
                #(#fields)*
                #extra
                object.end();
            },
        };
        decoders::encode(&ident(self.name), &body)
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
        let required = constructor_order(self.structure, self.overlay);
        let mut arguments = Vec::new();
        let mut inits = Vec::new();
        for (wire, field) in required {
            let name = ident(&rust::field_name(wire, self.overlay));
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
            let name = ident(&rust::field_name(wire, self.overlay));
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
        let rust_name = rust::field_name(wire, self.overlay);
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

/// The name of a field as it is written.
fn field_name(wire: &str) -> TokenStream {
    quote!(const { &FieldName::new(#wire) })
}

/// The fields that a constructor takes, in order.
pub(crate) fn constructor_order<'a>(
    structure: &'a MergedStruct,
    overlay: &Overlay,
) -> Vec<(&'a String, &'a MergedField)> {
    let rank = |wire: &str| overlay.first.iter().position(|first| first == wire);
    let mut required: Vec<_> = structure
        .stored()
        .filter(|(_, field)| field.always)
        .collect();
    required.sort_by_key(|(wire, _)| rank(wire).unwrap_or(usize::MAX));
    required
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
