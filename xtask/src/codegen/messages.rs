//! Unions of messages, told apart by `method`.

use super::unions::EmittedUnion;
use proc_macro2::TokenStream;
use quote::quote;

/// The code of one such union.
pub(crate) fn emit(union: &EmittedUnion<'_>) -> TokenStream {
    let methods = union
        .members
        .iter()
        .filter_map(|member| member.member.method.as_deref());
    let methods: Vec<_> = methods.collect();
    let name = &union.ident;
    let inherent = inherent(union, &methods);
    let by_method = by_method(union, &methods);
    let serialize = serialize(union, &methods);
    quote! {
        #inherent
        #by_method
        #serialize

        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                message::by_method(deserializer)
            }
        }
    }
}

fn inherent(union: &EmittedUnion<'_>, methods: &[&str]) -> TokenStream {
    let (name, variants) = (&union.ident, &union.variants);
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
                params: Option<RawJsonRef<'_>>,
            ) -> serde_json::Result<Option<Self>> {
                if Self::knows(method) {
                    Self::decode(method, message::Raw(params)).map(Some)
                } else {
                    Ok(None)
                }
            }
        }
    }
}

fn by_method(union: &EmittedUnion<'_>, methods: &[&str]) -> TokenStream {
    let name = &union.ident;
    let members = union.members.iter().zip(&union.variants).zip(methods);
    let decode =
        members.map(
            |((member, variant), method)| match union.is_optional(&member.member) {
                true => quote!(#method => params.optional().map(Self::#variant)),
                false => quote!(#method => params.required().map(Self::#variant)),
            },
        );
    quote! {
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
    }
}

fn serialize(union: &EmittedUnion<'_>, methods: &[&str]) -> TokenStream {
    let name = &union.ident;
    let members = union.members.iter().zip(&union.variants).zip(methods);
    let arms = members.map(|((member, variant), method)| {
        let params = match union.is_optional(&member.member) {
            true => quote!(params.as_ref()),
            false => quote!(Some(params)),
        };
        quote!(Self::#variant(params) => message::serialize(#method, #params, serializer))
    });
    quote! {
        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    #(#arms,)*
                    Self::Unknown(json) => json.serialize(serializer),
                }
            }
        }
    }
}
