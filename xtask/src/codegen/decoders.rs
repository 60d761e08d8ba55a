//! What makes a decoder of each type: one for JSON text, and serde's by way of it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// `Decode` by the function `decode`, and `Deserialize`.
pub(crate) fn by(name: &Ident, decode: &TokenStream) -> TokenStream {
    let deserialize = deserialize(name);
    quote! {
        impl<'de> Decode<'de> for #name {
            fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
                #decode(reader)
            }
        }

        #deserialize
    }
}

/// `Deserialize` of a type that has a `Decode`.
pub(crate) fn deserialize(name: &Ident) -> TokenStream {
    quote! {
        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                json::deserialize(deserializer)
            }
        }
    }
}
