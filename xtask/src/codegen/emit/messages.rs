//! Unions of messages, told apart by `method`.

use super::emitted_union::EmittedUnion;
use proc_macro2::TokenStream;
use quote::quote;

/// The code of one such union.
pub(crate) fn emit(union: &EmittedUnion<'_>) -> TokenStream {
    let (mut names, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    for (member, variant) in union.members.iter().zip(&union.variants) {
        let method = &member.member.method;
        let (read, params) = match union.merged.optional_params(&member.member) {
            Some(_) => (quote!(optional), quote!(params.as_ref())),
            None => (quote!(required), quote!(Some(params))),
        };
        names.push(quote!(Self::#variant(_) => #method));
        reads.push(quote!(#method => Self::#variant(message::#read(params)?)));
        writes.push(quote! {
            Self::#variant(params) => message::serialize(serializer, #method, #params)
        });
    }
    let name = &union.ident;
    let serialize = union.serialize_by(&writes);
    let deserialize = union.deserialize(&quote!(message::deserialize));
    quote! {
        impl #name {
            /// The method of the message; `None` for an unknown one.
            #[must_use]
            pub fn method(&self) -> Option<&'static str> {
                Some(match self {
                    #(#names,)*
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
                    #(#reads,)*
                    _ => return Ok(None),
                }))
            }
        }

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
