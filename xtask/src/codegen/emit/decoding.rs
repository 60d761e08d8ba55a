//! Emits the decoding of unions, by a discriminator rather than by trial.

use super::best_match::candidate;
use super::unions::Union;
use crate::codegen::merged::variants::{self, Tag};
use proc_macro2::TokenStream;
use quote::quote;

impl Union<'_> {
    /// Emits `Deserialize` and the functions that it needs.
    pub(super) fn decoding(&self) -> TokenStream {
        let name = &self.name;
        let (support, read) = match variants::tag(self.merged, self.members) {
            Tag::Method => (
                self.by_method(),
                quote!(message::deserialize(
                    deserializer,
                    Self::from_parts,
                    Self::Unknown
                )),
            ),
            Tag::Kind => (TokenStream::new(), self.by_kind()),
            Tag::Field {
                field,
                values,
                default,
            } => {
                let default = default.map(|index| {
                    quote! { const DEFAULT: Option<usize> = Some(#index); }
                });
                let support = self.of_objects(quote! {
                    impl ByField for #name {
                        const FIELD: &'static str = #field;
                        const VALUES: &'static [&'static str] = &[#(#values),*];
                        #default
                    }
                });
                (support, quote!(union::by_field(deserializer)))
            }
            Tag::Key(keys) => {
                let support = self.of_objects(quote! {
                    impl ByKey for #name {
                        const KEYS: &'static [&'static str] = &[#(#keys),*];
                    }
                });
                (support, quote!(union::by_key(deserializer)))
            }
            Tag::BestMatch => {
                let members = self.members.iter();
                let structures = members.filter_map(|one| variants::structure(self.merged, one));
                let candidates = structures.map(|structure| candidate(self.merged, structure));
                let support = self.of_objects(quote! {
                    impl ByBestMatch for #name {
                        const CANDIDATES: &'static [Candidate] = &[#(#candidates),*];
                    }
                });
                (support, quote!(best_match::deserialize(deserializer)))
            }
        };
        quote! {
            #support

            impl<'de> Deserialize<'de> for #name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    #read
                }
            }
        }
    }

    /// Emits the decoding of a union of objects, whose members `tag` distinguishes.
    fn of_objects(&self, tag: TokenStream) -> TokenStream {
        let name = &self.name;
        let variants = self.variants.iter();
        let reads = variants.map(|one| quote!(Deserialize::deserialize(object).map(Self::#one)));
        let reads: Vec<_> = reads.collect();
        let (last, others) = reads.split_last().unzip();
        let others = others.unwrap_or_default();
        let index = 0..others.len();
        quote! {
            #tag

            impl Union for #name {
                fn read<'de, D: Deserializer<'de>>(
                    index: usize,
                    object: D,
                ) -> Result<Self, D::Error> {
                    match index {
                        #(#index => #others,)*
                        _ => #last,
                    }
                }

                fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
            }
        }
    }

    /// Emits statements that decode a value by the first byte of its JSON.
    fn by_kind(&self) -> TokenStream {
        let arms = self.members().filter_map(|(member, variant)| {
            let (_, first) = variants::kind(self.merged, &member.ty)?;
            Some(quote!(Some(#first) => json.parse().ok().map(Self::#variant)))
        });
        quote! {
            let json = RawJson::deserialize(deserializer)?;
            let known = match json.get().as_bytes().first() {
                #(#arms,)*
                _ => None,
            };
            Ok(known.unwrap_or(Self::Unknown(json)))
        }
    }

    /// Emits the functions of a union of messages.
    fn by_method(&self) -> TokenStream {
        let name = &self.name;
        let variants = &self.variants;
        let methods: Vec<_> = self.members().map(|(member, _)| &member.method).collect();
        let reads =
            self.members().map(
                |(member, variant)| match self.merged.optional_params(member) {
                    Some(_) => quote!(Self::#variant(message::optional(params)?)),
                    None => quote!(Self::#variant(message::required(params)?)),
                },
            );
        quote! {
            impl #name {
                /// Returns the method of the message, or `None` for an unknown message.
                #[must_use]
                pub fn method(&self) -> Option<&'static str> {
                    Some(match self {
                        #(Self::#variants(_) => #methods,)*
                        Self::Unknown(_) => return None,
                    })
                }

                /// Decodes the parameters of a message whose envelope has been read.
                ///
                /// Returns `None` if this union has no such method.
                ///
                /// # Errors
                ///
                /// When the parameters do not match the method.
                // Without `#[inline]`, this would instantiate every decoder in each program that links this crate.
                #[inline]
                pub fn from_parts(
                    method: &str,
                    params: Option<RawJsonRef<'_>>,
                ) -> serde_json::Result<Option<Self>> {
                    Ok(Some(match method {
                        #(#methods => #reads,)*
                        _ => return Ok(None),
                    }))
                }
            }
        }
    }
}
