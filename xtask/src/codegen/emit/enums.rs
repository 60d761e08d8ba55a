//! Open string enums: the values that any revision lists, and room for others.

use super::docs::Docs;
use super::rust::ident;
use crate::codegen::merged::merge::{Merged, MergedType, Shape};
use crate::codegen::merged::variants;
use proc_macro2::TokenStream;
use quote::quote;

/// All enums, in alphabetical order.
pub(crate) fn emit(merged: &Merged, docs: &Docs<'_>) -> TokenStream {
    let types = merged.types.iter();
    let enums = types.filter(|(_, ty)| matches!(ty.shape, Shape::Enum(_)));
    let enums = enums.map(|(name, ty)| emit_one(merged, name, ty, docs));
    enums.collect()
}

fn emit_one(merged: &Merged, type_name: &str, ty: &MergedType, docs: &Docs<'_>) -> TokenStream {
    let name = ident(type_name);
    let doc = docs.of(type_name, &ty.known);
    let values = variants::of(merged, type_name);
    let wire: Vec<_> = values.iter().map(|(value, ..)| value).collect();
    let variants: Vec<_> = values
        .iter()
        .map(|(_, variant, _)| ident(variant))
        .collect();
    let docs = values
        .iter()
        .map(|(_, variant, known)| docs.of(&format!("{type_name}::{variant}"), known));
    let conversions = conversions(&name);
    quote! {
        #doc
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum #name {
            #(#docs #variants,)*
            /// A value that the schema does not list, kept as it came.
            Unknown(String),
        }

        impl #name {
            /// The value on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    #(Self::#variants => #wire,)*
                    Self::Unknown(value) => value,
                }
            }
        }

        impl From<&str> for #name {
            fn from(value: &str) -> Self {
                match value {
                    #(#wire => Self::#variants,)*
                    _ => Self::Unknown(value.to_owned()),
                }
            }
        }

        #conversions
    }
}

/// Impls that every enum has.
fn conversions(name: &syn::Ident) -> TokenStream {
    quote! {
        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                open_enum::deserialize(deserializer)
            }
        }
    }
}
