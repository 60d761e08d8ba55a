//! Enums: of strings, of objects by a constant member, and of values by their kind.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::module::{Emitter, described};
use crate::code::docs::lines;
use crate::code::open_enum::{self, Variant};
use crate::model::ir::{Def, Id, Shape, Type};
use crate::texts;

impl Emitter<'_> {
    pub(super) fn open_enum(&self, id: Id, def: &Def, values: &[(String, String)]) -> TokenStream {
        let name = &self.types[&id];
        let doc = self.doc_of_struct(id, def);
        let values = values.iter().map(|(wire, doc)| Variant {
            wire: wire.clone(),
            name: self.member(id, wire),
            doc: described(doc, &format!("The value {}.", texts::code(wire))),
        });
        let read = quote! {
            let value = String::deserialize(deserializer)?;
            Ok(Self::from(value.as_str()))
        };
        open_enum::emit(name, &doc, &values.collect::<Vec<_>>(), &read)
    }

    /// An enum of objects, told apart by the member `tag`.
    pub(super) fn tagged(
        &self,
        id: Id,
        def: &Def,
        tag: &str,
        variants: &[(Vec<String>, Type)],
    ) -> TokenStream {
        let name = &self.types[&id];
        let doc = self.doc_of_struct(id, def);
        let contents: Vec<_> = variants.iter().map(|(_, ty)| self.rust(ty)).collect();
        let wires: Vec<_> = variants
            .iter()
            .map(|(wires, _)| quote!(#(#wires)|*))
            .collect();
        let names = variants.iter().map(|(wires, _)| self.member(id, &wires[0]));
        let names: Vec<_> = names.collect();
        let docs = variants.iter().map(|(wires, _)| {
            let wires: Vec<_> = wires.iter().map(|wire| texts::code(wire)).collect();
            lines(&format!(
                "The member {} is {}.",
                texts::code(tag),
                wires.join(" or ")
            ))
        });
        let conversions = names.iter().zip(&contents).map(|(variant, ty)| {
            quote! {
                impl From<#ty> for #name {
                    fn from(value: #ty) -> Self {
                        Self::#variant(Box::new(value))
                    }
                }
            }
        });
        quote! {
            #doc
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #(#docs #names(Box<#contents>),)*
                /// A value that the schema does not list, kept as it came.
                Unknown(Value),
            }

            #(#conversions)*

            impl Serialize for #name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        #(Self::#names(value) => value.serialize(serializer),)*
                        Self::Unknown(value) => value.serialize(serializer),
                    }
                }
            }

            impl<'de> Deserialize<'de> for #name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let value = Value::deserialize(deserializer)?;
                    let read = match value.get(#tag).and_then(Value::as_str) {
                        #(Some(#wires) => serde_json::from_value(value).map(Self::#names),)*
                        _ => Ok(Self::Unknown(value)),
                    };
                    read.map_err(serde::de::Error::custom)
                }
            }
        }
    }

    /// An enum of values of different kinds of JSON.
    pub(super) fn kinds(&self, id: Id, def: &Def, types: &[Type]) -> TokenStream {
        let name = &self.types[&id];
        let doc = self.doc_of_struct(id, def);
        let variants: Vec<_> = types.iter().map(|ty| self.kind(ty)).collect();
        let (names, patterns): (Vec<_>, Vec<_>) = variants.into_iter().unzip();
        let contents: Vec<_> = types
            .iter()
            .map(|ty| match ty {
                Type::Named(_) => {
                    let ty = self.rust(ty);
                    quote!(Box<#ty>)
                }
                ty => self.rust(ty),
            })
            .collect();
        let docs = names
            .iter()
            .map(|name| format!(" {}.", kind_of(&name.to_string())));
        let conversions = types.iter().zip(&names).map(|(inner, variant)| {
            let ty = self.rust(inner);
            let value = match inner {
                Type::Named(_) => quote!(Box::new(value)),
                _ => quote!(value),
            };
            quote! {
                impl From<#ty> for #name {
                    fn from(value: #ty) -> Self {
                        Self::#variant(#value)
                    }
                }
            }
        });
        let text = types.contains(&Type::Text).then(|| {
            quote! {
                impl From<&str> for #name {
                    fn from(value: &str) -> Self {
                        Self::Text(value.to_owned())
                    }
                }
            }
        });
        let expected = names
            .iter()
            .map(|name| kind_of(&name.to_string()).to_lowercase());
        let expected = format!("expected {}", expected.collect::<Vec<_>>().join(" or "));
        quote! {
            #doc
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #(#[doc = #docs] #names(#contents),)*
            }

            #(#conversions)*
            #text

            impl Serialize for #name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        #(Self::#names(value) => value.serialize(serializer),)*
                    }
                }
            }

            impl<'de> Deserialize<'de> for #name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let value = Value::deserialize(deserializer)?;
                    let read = match &value {
                        #(#patterns => serde_json::from_value(value).map(Self::#names),)*
                        _ => return Err(serde::de::Error::custom(#expected)),
                    };
                    read.map_err(serde::de::Error::custom)
                }
            }
        }
    }

    /// The variant for a type, and the pattern of the values that are it.
    fn kind(&self, ty: &Type) -> (Ident, TokenStream) {
        let is_text = |id: &Id| {
            let shape = self.model.defs.get(id).map(|def| &def.shape);
            matches!(shape, Some(Shape::Enum(_)))
        };
        let (name, pattern) = match ty {
            Type::Bool => ("Bool", quote!(Value::Bool(_))),
            Type::Integer => ("Integer", quote!(Value::Number(_))),
            Type::Number => ("Number", quote!(Value::Number(_))),
            Type::Text | Type::External(_) => ("Text", quote!(Value::String(_))),
            Type::Named(id) if is_text(id) => ("Text", quote!(Value::String(_))),
            Type::List(_) | Type::Tuple(_) => ("List", quote!(Value::Array(_))),
            _ => ("Object", quote!(Value::Object(_))),
        };
        (format_ident!("{name}"), pattern)
    }
}

/// A kind of JSON with its article.
fn kind_of(variant: &str) -> &'static str {
    match variant {
        "Bool" => "A boolean",
        "Integer" => "An integer",
        "Number" => "A number",
        "Text" => "A text",
        "List" => "A list",
        _ => "An object",
    }
}
