//! Unions of messages, told apart by `method`.

use super::emitted_union::EmittedUnion;
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
    let serialize = serialize(union, &methods);
    let deserialize = union.deserialize(&quote!(message::deserialize));
    quote! {
        #inherent

        impl ByMethod for #name {
            fn read(method: &str, params: Option<RawJsonRef<'_>>) -> serde_json::Result<Option<Self>> {
                Self::from_parts(method, params)
            }

            fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
        }

        #serialize
        #deserialize
    }
}

fn inherent(union: &EmittedUnion<'_>, methods: &[&str]) -> TokenStream {
    let (name, variants) = (&union.ident, &union.variants);
    let members = union.members.iter().zip(variants).zip(methods);
    let arms = members.map(|((member, variant), method)| {
        match union.merged.optional_params(&member.member) {
            Some(_) => quote!(#method => Self::#variant(message::optional(params)?)),
            None => quote!(#method => Self::#variant(message::required(params)?)),
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
            // Not inlined, it would instantiate every decoder in each program that links this crate.
            #[inline]
            pub fn from_parts(
                method: &str,
                params: Option<RawJsonRef<'_>>,
            ) -> serde_json::Result<Option<Self>> {
                Ok(Some(match method {
                    #(#arms,)*
                    _ => return Ok(None),
                }))
            }
        }
    }
}

fn serialize(union: &EmittedUnion<'_>, methods: &[&str]) -> TokenStream {
    let (name, variants) = (&union.ident, &union.variants);
    let arms = union.members.iter().zip(variants).zip(methods);
    let arms = arms.map(|((member, variant), method)| {
        let params = match union.merged.optional_params(&member.member) {
            Some(_) => quote!(params.as_ref()),
            None => quote!(Some(params)),
        };
        quote!(Self::#variant(params) => message::serialize(serializer, #method, #params))
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
