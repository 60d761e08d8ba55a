//! Unions of messages, told apart by `method`.

use super::decoders;
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
    let encode = encode(union, &methods);
    let deserialize = decoders::by(name, &quote!(message::by_method));
    quote! {
        #inherent
        #by_method
        #encode
        #deserialize
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
                ByMethod::decode(method, Params::of(params))
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
                true => quote!(#method => Self::#variant(params.optional()?)),
                false => quote!(#method => Self::#variant(params.required()?)),
            },
        );
    quote! {
        impl ByMethod for #name {
            fn decode(method: &str, params: Params<'_>) -> serde_json::Result<Option<Self>> {
                Ok(Some(match method {
                    #(#decode,)*
                    _ => return Ok(None),
                }))
            }

            fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
        }
    }
}

fn encode(union: &EmittedUnion<'_>, methods: &[&str]) -> TokenStream {
    let name = &union.ident;
    let members = union.members.iter().zip(&union.variants).zip(methods);
    let arms = members.map(|((member, variant), method)| {
        let params = match union.is_optional(&member.member) {
            true => quote!(params.as_ref().map(|params| params as &dyn Encode)),
            false => quote!(Some(params)),
        };
        quote!(Self::#variant(params) => { message::encode(to, &#method, #params); })
    });
    let body = quote! {
        match self {
            #(#arms,)*
            Self::Unknown(json) => json.encode(to),
        }
    };
    decoders::encode(name, &body)
}
