//! Decoding of structs: from an object, its members in any order.
//!
//! What serde derives takes a list, too, loses raw JSON where unknown fields
//! are kept, and is compiled for each kind of input; so it is written out, for
//! JSON text. Keys are looked up while they are read, and unknown ones skipped
//! or, in an open struct, kept.

use super::ir::Type;
use super::merge::{MergedField, MergedStruct};
use super::overlay::Overlay;
use super::rust::{self, ident};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// What reads a struct of the model.
pub(crate) fn of_struct(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let slots = slots(structure, overlay, |wire, field| {
        let read = match overlay.is_from_zero(&format!("{name}.{wire}")) {
            true => quote!(object::set_from_zero),
            // Where anything is allowed, null is a value.
            false if !field.always && field.ty == Type::Json { object: false } => {
                quote!(object::set_any)
            }
            false => quote!(set),
        };
        // A peer may leave out what is null.
        (read, field.always && !field.nullable)
    });
    let ty = ident(name);
    let decoder = Decoder {
        name,
        ty: quote!(#ty),
        lifetime: quote!('de),
        entry: quote!(deserialize),
        slots,
        is_open: !structure.open.is_empty(),
        constant: structure.constant().map(|(wire, _)| wire),
    };
    decoder.emit()
}

/// What reads the borrowed view of a struct.
pub(crate) fn of_view(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let slots = slots(structure, overlay, |_, field| (quote!(set), field.always));
    let view = ident(&format!("{name}Ref"));
    let decoder = Decoder {
        name,
        ty: quote!(#view<'a>),
        lifetime: quote!('a),
        entry: quote!(deserialize_borrowed),
        slots,
        is_open: false,
        constant: None,
    };
    decoder.emit()
}

/// Where the value of a member goes.
struct Slot<'a> {
    wire: &'a str,
    name: Ident,
    /// What reads the value into the field.
    read: TokenStream,
    /// Whether the member must be there.
    is_required: bool,
}

/// `how` says by what a field is read, and whether it must be there.
fn slots<'a>(
    structure: &'a MergedStruct,
    overlay: &Overlay,
    how: impl Fn(&str, &MergedField) -> (TokenStream, bool),
) -> Vec<Slot<'a>> {
    let slots = structure.stored().map(|(wire, field)| {
        let (read, is_required) = how(wire, field);
        Slot {
            wire,
            name: ident(&rust::field_name(wire, overlay)),
            read,
            is_required,
        }
    });
    slots.collect()
}

struct Decoder<'a> {
    /// What an error calls the type.
    name: &'a str,
    ty: TokenStream,
    lifetime: TokenStream,
    /// What reads it from any deserializer.
    entry: TokenStream,
    slots: Vec<Slot<'a>>,
    is_open: bool,
    /// A member that is no field; an open struct must not keep it.
    constant: Option<&'a str>,
}

impl Decoder<'_> {
    fn emit(&self) -> TokenStream {
        let Self {
            ty,
            lifetime,
            entry,
            ..
        } = self;
        let (vacant, fields, fill) = (self.vacant(), self.fields(), self.fill());
        quote! {
            #vacant
            #fields
            #fill

            impl<#lifetime> Decode<#lifetime> for #ty {
                fn decode(reader: &mut Reader<#lifetime>) -> serde_json::Result<Self> {
                    object::decode(reader)
                }
            }

            impl<#lifetime> Deserialize<#lifetime> for #ty {
                fn deserialize<D: Deserializer<#lifetime>>(deserializer: D) -> Result<Self, D::Error> {
                    json::#entry(deserializer)
                }
            }
        }
    }

    /// A value without any member.
    fn vacant(&self) -> TokenStream {
        let Self { ty, lifetime, .. } = self;
        let names = self.slots.iter().map(|slot| &slot.name);
        let extra = self.is_open.then(|| quote!(extra: JsonObject::new()));
        let lifetime = ty.to_string().contains('\'').then(|| quote!(<#lifetime>));
        quote! {
            impl #lifetime Vacant for #ty {
                fn vacant() -> Self {
                    Self { #(#names: Vacant::vacant(),)* #extra }
                }
            }
        }
    }

    /// The members that are looked up.
    fn known(&self) -> Vec<&str> {
        let fields = self.slots.iter().map(|slot| slot.wire);
        fields
            .chain(self.constant.filter(|_| self.is_open))
            .collect()
    }

    /// The table of its members.
    fn fields(&self) -> TokenStream {
        let Self {
            name, ty, lifetime, ..
        } = self;
        let expected = format!("an object, {name}");
        let known = self.known();
        assert!(known.len() < 64, "{name} has more fields than bits");
        let required = self.slots.iter().enumerate();
        let required = required.filter(|(_, slot)| slot.is_required);
        let required: u64 = required.map(|(index, _)| 1 << index).sum();
        let required: syn::LitInt = syn::parse_str(&format!("{required:#b}"))
            .unwrap_or_else(|_| unreachable!("a number is one in binary, too"));
        quote! {
            impl<#lifetime> Object<#lifetime> for #ty {
                const FIELDS: &'static Fields = &Fields {
                    expected: #expected,
                    names: &[#(#known),*],
                    required: #required,
                };
            }
        }
    }

    /// What reads one member.
    fn fill(&self) -> TokenStream {
        let Self { ty, lifetime, .. } = self;
        let steps = self
            .slots
            .iter()
            .map(|Slot { name, read, .. }| quote!(#read(&mut self.#name, members)));
        let skip = self.known().len() > self.slots.len();
        let steps: Vec<_> = steps.chain(skip.then(|| quote!(members.skip()))).collect();
        let extra = self.is_open.then(|| {
            quote! {
                fn extra(&mut self) -> Option<&mut JsonObject> {
                    Some(&mut self.extra)
                }
            }
        });
        let (parameters, body) = match steps.as_slice() {
            [] => (
                quote!(_: usize, _: &mut Members<'_, #lifetime>),
                quote!(Ok(())),
            ),
            [only] => (
                quote!(_: usize, members: &mut Members<'_, #lifetime>),
                quote!(#only),
            ),
            [first @ .., last] => {
                let index = 0..first.len();
                (
                    quote!(index: usize, members: &mut Members<'_, #lifetime>),
                    quote! {
                        match index {
                            #(#index => #first,)*
                            _ => #last,
                        }
                    },
                )
            }
        };
        quote! {
            impl<#lifetime> Fill<#lifetime> for #ty {
                fn fill(&mut self, #parameters) -> serde_json::Result<()> {
                    #body
                }

                #extra
            }
        }
    }
}
