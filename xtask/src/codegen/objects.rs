//! Decoding of structs: from an object, its members in any order.
//!
//! What serde derives takes a list, too, and loses raw JSON where unknown
//! fields are kept; so it is written out. Keys are looked up while they are
//! read, and unknown ones skipped or, in an open struct, kept.

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
        slots,
        is_open: !structure.open.is_empty(),
        constant: structure.constant().map(|(wire, _)| wire),
    };
    decoder.emit()
}

/// `Deserialize` of the borrowed view of a struct.
pub(crate) fn of_view(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let slots = slots(name, structure, overlay, |field, missing| {
        let text = (field.ty == Type::Text).then(|| quote!(.map(|Key(text)| text)));
        match field.always {
            true => quote!(#text #missing),
            false => quote!(.flatten() #text),
        }
    });
    let view = ident(&format!("{name}Ref"));
    let decoder = Decoder {
        name,
        ty: quote!(#view<'a>),
        lifetime: quote!('a),
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
        finish: finish(
            field,
            quote!(.ok_or_else(|| A::Error::missing_field(#wire))?),
        ),
    });
    slots.collect()
}

struct Decoder<'a> {
    /// What an error calls the type.
    name: &'a str,
    ty: TokenStream,
    lifetime: TokenStream,
    slots: Vec<Slot<'a>>,
    is_open: bool,
    /// A member that is no field; an open struct must not keep it.
    constant: Option<&'a str>,
}

impl Decoder<'_> {
    fn emit(&self) -> TokenStream {
        let (name, ty, lifetime) = (self.name, &self.ty, &self.lifetime);
        let (index, read) = (self.index(), self.read());
        quote! {
            impl<#lifetime> Object<#lifetime> for #ty {
                const NAME: &'static str = #name;

                #index
                #read
            }

            impl<#lifetime> Deserialize<#lifetime> for #ty {
                fn deserialize<D: Deserializer<#lifetime>>(deserializer: D) -> Result<Self, D::Error> {
                    object::deserialize(deserializer)
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
            fn read<A: MapAccess<#lifetime>>(mut map: A) -> Result<Self, A::Error> {
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
            true => quote!(object::next_or_keep::<Self, _>(&mut map, &mut extra)?),
            false => quote!(object::next_known::<Self, _>(&mut map)?),
        };
        let known = self.known();
        let steps = known
            .iter()
            .enumerate()
            .map(|(index, wire)| match self.slots.get(index) {
                Some(Slot { name, read, .. }) => quote!(#read(&mut #name, #wire, &mut map)),
                None => quote!(object::skip(&mut map)),
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
