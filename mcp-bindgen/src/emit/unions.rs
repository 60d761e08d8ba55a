//! Generates enums of strings, of objects by a constant member, and of values by their kind of
//! JSON.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::module::{Emitter, described};
use crate::code::docs::lines;
use crate::code::open_enum::{self, Variant};
use crate::model::ir::{Def, Id, Kind, Type};
use crate::texts;

/// A variant of a union.
struct Alternative<'a> {
    name: Ident,
    doc: TokenStream,
    ty: &'a Type,
    pattern: TokenStream,
}

impl Alternative<'_> {
    /// Whether the content could contain a value of the union, and so has to be boxed.
    fn is_boxed(&self) -> bool {
        matches!(self.ty, Type::Named(_) | Type::Tuple(_))
    }
}

impl Emitter<'_> {
    pub(super) fn open_enum(&self, id: Id, def: &Def, values: &[(String, String)]) -> TokenStream {
        let name = self.name(id);
        let doc = self.doc_of(id, def);
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

    /// Generates an enum of objects that are distinguished by the member `tag`.
    pub(super) fn tagged(
        &self,
        id: Id,
        def: &Def,
        tag: &str,
        variants: &[(Vec<String>, Type)],
    ) -> TokenStream {
        let alternatives = variants.iter().map(|(wires, ty)| {
            let codes: Vec<_> = wires.iter().map(|wire| texts::code(wire)).collect();
            let doc = format!("The member {} is {}.", texts::code(tag), codes.join(" or "));
            Alternative {
                name: self.member(id, &wires[0]),
                doc: lines(&doc),
                ty,
                pattern: quote!(Some(#(#wires)|*)),
            }
        });
        let by = quote!(value.get(#tag).and_then(Value::as_str));
        self.union(id, def, &alternatives.collect::<Vec<_>>(), &by, None)
    }

    /// Generates an enum of values of different kinds of JSON.
    pub(super) fn kinds(&self, id: Id, def: &Def, types: &[Type]) -> TokenStream {
        let mut expected = Vec::new();
        let alternatives = types.iter().map(|ty| {
            let (name, article, what, pattern) = kind(ty.kind(&self.model.defs));
            expected.push(format!("{} {what}", article.to_lowercase()));
            Alternative {
                name: format_ident!("{name}"),
                doc: lines(&format!("{article} {what}.")),
                ty,
                pattern,
            }
        });
        let alternatives: Vec<_> = alternatives.collect();
        let expected = format!("expected {}", expected.join(" or "));
        self.union(id, def, &alternatives, &quote!(&value), Some(expected))
    }

    /// Generates an enum whose variant is selected by matching the expression `by`.
    ///
    /// If no pattern matches, decoding fails with the message `expected`, or returns the variant
    /// `Unknown` if there is no such message.
    fn union(
        &self,
        id: Id,
        def: &Def,
        alternatives: &[Alternative<'_>],
        by: &TokenStream,
        expected: Option<String>,
    ) -> TokenStream {
        let name = self.name(id);
        let doc = self.doc_of(id, def);
        let names: Vec<_> = alternatives.iter().map(|it| &it.name).collect();
        let docs = alternatives.iter().map(|it| &it.doc);
        let patterns = alternatives.iter().map(|it| &it.pattern);
        let contents = alternatives.iter().map(|it| {
            let ty = self.rust(it.ty);
            if it.is_boxed() { quote!(Box<#ty>) } else { ty }
        });
        let conversions = alternatives.iter().map(|it| self.conversion_of(name, it));
        let (unknown, write, other) = match expected {
            Some(expected) => {
                let other = quote!(Err(serde::de::Error::custom(#expected)));
                (None, None, other)
            }
            None => {
                let unknown = quote! {
                                        /// A value that the schema does not list, kept as received.
                    Unknown(Value),
                };
                let write = quote!(Self::Unknown(value) => value.serialize(serializer),);
                (Some(unknown), Some(write), quote!(Ok(Self::Unknown(value))))
            }
        };
        quote! {
            #doc
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #(#docs #names(#contents),)*
                #unknown
            }

            #(#conversions)*

            impl Serialize for #name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        #(Self::#names(value) => value.serialize(serializer),)*
                        #write
                    }
                }
            }

            impl<'de> Deserialize<'de> for #name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let value = Value::deserialize(deserializer)?;
                    let read: Result<Self, serde_json::Error> = match #by {
                        #(#patterns => serde_json::from_value(value).map(Self::#names),)*
                        _ => #other,
                    };
                    read.map_err(serde::de::Error::custom)
                }
            }
        }
    }

    fn conversion_of(&self, name: &Ident, alternative: &Alternative<'_>) -> TokenStream {
        let variant = &alternative.name;
        let ty = self.rust(alternative.ty);
        let value = if alternative.is_boxed() {
            quote!(Box::new(value))
        } else {
            quote!(value)
        };
        let text = (*alternative.ty == Type::Text).then(|| {
            quote! {
                impl From<&str> for #name {
                    fn from(value: &str) -> Self {
                        Self::#variant(value.to_owned())
                    }
                }
            }
        });
        quote! {
            impl From<#ty> for #name {
                fn from(value: #ty) -> Self {
                    Self::#variant(#value)
                }
            }

            #text
        }
    }
}

/// The variant for a kind of JSON, the article and word for the kind, and the pattern of its
/// values.
fn kind(kind: Kind) -> (&'static str, &'static str, &'static str, TokenStream) {
    match kind {
        Kind::Bool => ("Bool", "A", "boolean", quote!(Value::Bool(_))),
        Kind::Integer => ("Integer", "An", "integer", quote!(Value::Number(_))),
        Kind::Number => ("Number", "A", "number", quote!(Value::Number(_))),
        Kind::Text => ("Text", "A", "string", quote!(Value::String(_))),
        Kind::List => ("List", "A", "list", quote!(Value::Array(_))),
        Kind::Object => ("Object", "An", "object", quote!(Value::Object(_))),
    }
}
