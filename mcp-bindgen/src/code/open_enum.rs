//! Generates enums of strings that can hold values unknown to the schema.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A value of an [open enum](emit).
pub struct Variant {
    /// The value on the wire.
    pub wire: String,
    /// The name of the variant.
    pub name: Ident,
    /// Doc attributes of the variant.
    pub doc: TokenStream,
}

/// Returns an enum with a variant `Unknown(String)`, and its conversions from and to strings.
///
/// `read` is the body of `Deserialize::deserialize`, with `deserializer` in scope. The generated
/// code refers to `fmt` and to serde's traits `Serialize`, `Serializer`, `Deserialize` and
/// `Deserializer`.
#[must_use]
pub fn emit(
    name: &Ident,
    doc: &TokenStream,
    values: &[Variant],
    read: &TokenStream,
) -> TokenStream {
    let wire: Vec<_> = values.iter().map(|value| &value.wire).collect();
    let variants: Vec<_> = values.iter().map(|value| &value.name).collect();
    let docs = values.iter().map(|value| &value.doc);
    let conversions = conversions(name, read);
    quote! {
        #doc
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum #name {
            #(#docs #variants,)*
                        /// A value that the schema does not list, kept as received.
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

/// Generates the implementations that do not depend on the values.
fn conversions(name: &Ident, read: &TokenStream) -> TokenStream {
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
                #read
            }
        }
    }
}
