//! Open string enums: the values that any revision lists, and room for others.

use super::docs::Docs;
use super::merge::{Merged, MergedEnum, Shape};
use super::rust::ident;
use super::variants::of_value;
use proc_macro2::TokenStream;
use quote::quote;

/// All enums, in alphabetical order.
pub(crate) fn emit(merged: &Merged, docs: &Docs<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for (name, ty) in &merged.types {
        if let Shape::Enum(values) = &ty.shape {
            out.extend(emit_one(
                merged,
                name,
                &docs.of(name, &ty.known),
                values,
                docs,
            ));
        }
    }
    out
}

fn emit_one(
    merged: &Merged,
    type_name: &str,
    doc: &TokenStream,
    values: &MergedEnum,
    docs: &Docs<'_>,
) -> TokenStream {
    let name = ident(type_name);
    let wire: Vec<_> = values.values.keys().collect();
    let variants: Vec<_> = wire
        .iter()
        .map(|value| of_value(merged, type_name, value))
        .collect();
    let documented = values
        .values
        .iter()
        .zip(&variants)
        .map(|((_, known), variant)| {
            let doc = docs.of(&format!("{type_name}::{variant}"), known);
            let variant = ident(variant);
            quote!(#doc #variant)
        });
    let variants: Vec<_> = variants.iter().map(|variant| ident(variant)).collect();
    let conversions = conversions(&name);
    quote! {
        #doc
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum #name {
            #(#documented,)*
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
