//! Unions of messages, told apart by `method`.

use super::unions::EmittedUnion;
use proc_macro2::TokenStream;
use quote::quote;

/// The code of one such union.
pub(crate) fn emit(union: &EmittedUnion<'_>) -> TokenStream {
    let name = &union.ident;
    let variants = &union.variants;
    let methods: Vec<_> = union
        .members
        .iter()
        .filter_map(|m| m.member.method.as_ref())
        .collect();
    let decode =
        union
            .members
            .iter()
            .zip(variants)
            .zip(&methods)
            .map(
                |((member, variant), method)| match union.is_optional(&member.member) {
                    true => quote!(#method => params.optional().map(Self::#variant)),
                    false => quote!(#method => params.required().map(Self::#variant)),
                },
            );
    let serialize = union.members.iter().zip(variants).zip(&methods);
    let serialize = serialize.map(|((member, variant), method)| {
        match union.is_optional(&member.member) {
            true => quote! {
                Self::#variant(params) => message::serialize(#method, params.as_ref(), serializer)
            },
            false => quote! {
                Self::#variant(params) => message::serialize(#method, Some(params), serializer)
            },
        }
    });
    quote! {
        impl #name {
            /// The method of the message; `None` for an unknown one.
            #[must_use]
            pub fn method(&self) -> Option<&'static str> {
                Some(match self {
                    #(Self::#variants(_) => #methods,)*
                    Self::Unknown(_) => return None,
                })
            }

            /// Decodes the parameters of a message whose envelope has been read.
            ///
            /// `None` if the method is not one of these.
            ///
            /// # Errors
            ///
            /// When the parameters do not fit the method.
            pub fn from_parts(
                method: &str,
                params: Option<&RawValue>,
            ) -> serde_json::Result<Option<Self>> {
                if Self::knows(method) {
                    Self::decode(method, message::Raw(params)).map(Some)
                } else {
                    Ok(None)
                }
            }
        }

        impl ByMethod for #name {
            fn knows(method: &str) -> bool {
                matches!(method, #(#methods)|*)
            }

            fn decode<'de, P: Params<'de>>(method: &str, params: P) -> Result<Self, P::Error> {
                match method {
                    #(#decode,)*
                    _ => Err(P::Error::custom("not a method of this union")),
                }
            }

            fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
        }

        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    #(#serialize,)*
                    Self::Unknown(json) => json.serialize(serializer),
                }
            }
        }

        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                message::by_method(deserializer)
            }
        }
    }
}
