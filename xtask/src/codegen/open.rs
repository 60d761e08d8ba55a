//! Serialisation of structs that keep unknown fields.
//!
//! serde's `flatten` would buffer every field and lose raw JSON on the way, so
//! these few are written out.

use super::merge::{MergedField, MergedStruct};
use super::overlay::Overlay;
use super::rust::{self, ident};
use proc_macro2::TokenStream;
use quote::quote;

/// `Serialize` and `Deserialize` of one struct.
pub(crate) fn emit(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let serialize = serialize(name, structure, overlay);
    let deserialize = deserialize(name, structure, overlay);
    quote!(#serialize #deserialize)
}

fn serialize(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let name = ident(name);
    let constant = structure
        .constant()
        .map(|(field, value)| quote!(map.serialize_entry(#field, #value)?;));
    let entries = structure.stored().map(|(wire, field)| {
        let name = ident(&rust::field_name(wire, overlay));
        if field.always {
            quote!(map.serialize_entry(#wire, &self.#name)?;)
        } else {
            quote! {
                if let Some(value) = &self.#name {
                    map.serialize_entry(#wire, value)?;
                }
            }
        }
    });
    quote! {
        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                #constant
                #(#entries)*
                for (key, value) in &self.extra {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

fn deserialize(name: &str, structure: &MergedStruct, overlay: &Overlay) -> TokenStream {
    let expecting = format!("an object, {name}");
    let name = ident(name);
    let fields: Vec<_> = structure.stored().collect();
    let names = fields
        .iter()
        .map(|(wire, _)| ident(&rust::field_name(wire, overlay)));
    let names: Vec<_> = names.collect();
    let arms = fields
        .iter()
        .zip(&names)
        .map(|((wire, field), name)| match field.always {
            true => quote!(#wire => #name = Some(map.next_value()?)),
            false => quote!(#wire => #name = map.next_value()?),
        });
    let constant = structure
        .constant()
        .map(|(field, _)| quote!(#field => { map.next_value::<serde::de::IgnoredAny>()?; }));
    let inits = fields
        .iter()
        .zip(&names)
        .map(|((wire, field), name)| init(wire, field, name));
    let locals = names.iter().map(|name| quote!(let mut #name = None;));
    quote! {
        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Fields;

                impl<'de> Visitor<'de> for Fields {
                    type Value = #name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str(#expecting)
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<#name, A::Error> {
                        #(#locals)*
                        let mut extra = JsonObject::new();
                        while let Some(Key(key)) = map.next_key()? {
                            match &*key {
                                #(#arms,)*
                                #constant
                                _ => {
                                    extra.insert(key.into_owned(), map.next_value()?);
                                }
                            }
                        }
                        Ok(#name { #(#inits,)* extra })
                    }
                }

                deserializer.deserialize_map(Fields)
            }
        }
    }
}

fn init(wire: &str, field: &MergedField, name: &syn::Ident) -> TokenStream {
    if field.always {
        quote!(#name: #name.ok_or_else(|| A::Error::missing_field(#wire))?)
    } else {
        quote!(#name)
    }
}
