//! What each type can do by way of JSON text: be read and written, also by serde, and be shown.

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

/// `Encode` by the statements `body`, which write to `to`, and `Serialize`.
pub(crate) fn encode(name: &Ident, body: &TokenStream) -> TokenStream {
    quote! {
        impl Encode for #name {
            fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
                #body
            }
        }

        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                json::serialize(self, serializer)
            }
        }
    }
}

/// `Debug` of a type that has an `Encode`.
///
/// What is derived would be code for each field, and show each one that is absent.
pub(crate) fn debug(name: &Ident) -> TokenStream {
    let shown = name.to_string();
    quote! {
        impl fmt::Debug for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                debug::show(f, #shown, self)
            }
        }
    }
}
