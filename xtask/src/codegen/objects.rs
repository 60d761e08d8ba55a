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

/// `Deserialize` of a struct of the model.
pub(crate) fn of_struct(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let slots = slots(name, structure, overlay, |field, missing| {
        match (field.always, field.nullable) {
            // Where anything is allowed, null is a value.
            (false, _) if field.ty == Type::Json { object: false } => quote!(),
            // A peer may leave out what is null.
            (false, _) | (true, true) => quote!(.flatten()),
            (true, false) => missing,
        }
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

/// `Deserialize` of the borrowed view of a struct.
pub(crate) fn of_view(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let slots = slots(name, structure, overlay, |field, missing| {
        match field.always {
            true => missing,
            false => quote!(.flatten()),
        }
    });
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

/// Where the value of a field waits for the others.
struct Slot<'a> {
    wire: &'a str,
    name: Ident,
    /// What reads the member into the slot.
    read: TokenStream,
    /// What makes the field of the slot, which is empty if the member is absent.
    finish: TokenStream,
}

/// `finish` gets the field, and what fails if its slot is empty.
fn slots<'a>(
    name: &str,
    structure: &'a MergedStruct,
    overlay: &Overlay,
    finish: impl Fn(&MergedField, TokenStream) -> TokenStream,
) -> Vec<Slot<'a>> {
    let slots = structure.stored().map(|(wire, field)| Slot {
        wire,
        name: ident(&rust::field_name(wire, overlay)),
        read: match overlay.is_from_zero(&format!("{name}.{wire}")) {
            true => quote!(object::once_from_zero),
            false => quote!(once),
        },
        finish: finish(field, quote!(.ok_or_else(|| members.missing(#wire))?)),
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
            name,
            ty,
            lifetime,
            entry,
            ..
        } = self;
        let expected = format!("an object, {name}");
        let (index, read) = (self.index(), self.read());
        quote! {
            impl<#lifetime> Object<#lifetime> for #ty {
                const EXPECTED: &'static str = #expected;

                #index
                #read
            }

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

    /// The members that are looked up.
    fn known(&self) -> Vec<&str> {
        let fields = self.slots.iter().map(|slot| slot.wire);
        fields
            .chain(self.constant.filter(|_| self.is_open))
            .collect()
    }

    fn index(&self) -> TokenStream {
        let known = self.known();
        if known.is_empty() {
            return quote!(
                fn index(_: &str) -> Option<usize> {
                    None
                }
            );
        }
        let index = 0..known.len();
        quote! {
            fn index(key: &str) -> Option<usize> {
                Some(match key {
                    #(#known => #index,)*
                    _ => return None,
                })
            }
        }
    }

    fn read(&self) -> TokenStream {
        let lifetime = &self.lifetime;
        let names = self.slots.iter().map(|slot| &slot.name);
        let extra = self
            .is_open
            .then(|| quote!(let mut extra = JsonObject::new();));
        let members = self.members();
        let fields = self.slots.iter().map(|slot| {
            let Slot { name, finish, .. } = slot;
            match finish.is_empty() {
                true => quote!(#name),
                false => quote!(#name: #name #finish),
            }
        });
        let kept = self.is_open.then(|| quote!(extra));
        quote! {
            fn read(members: &mut Members<'_, #lifetime>) -> serde_json::Result<Self> {
                #(let mut #names = None;)*
                #extra
                #members
                Ok(Self { #(#fields,)* #kept })
            }
        }
    }

    /// The loop over the members.
    fn members(&self) -> TokenStream {
        let next = match self.is_open {
            true => quote!(object::next_or_keep(members, Self::index, &mut extra)?),
            false => quote!(members.next_known(Self::index)?),
        };
        let known = self.known();
        let steps = known
            .iter()
            .enumerate()
            .map(|(index, wire)| match self.slots.get(index) {
                Some(Slot { name, read, .. }) => quote!(#read(&mut #name, #wire, members)),
                None => quote!(members.skip()),
            });
        let steps: Vec<_> = steps.collect();
        match steps.as_slice() {
            [] => quote!(while #next.is_some() {}),
            [only] => quote!(while #next.is_some() { #only?; }),
            [first @ .., last] => {
                let index = 0..first.len();
                quote! {
                    while let Some(index) = #next {
                        match index {
                            #(#index => #first,)*
                            _ => #last,
                        }?;
                    }
                }
            }
        }
    }
}
