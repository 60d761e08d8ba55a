//! Generates structs, with their constructors, setters and conversions.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

use super::module::{Emitter, described};
use crate::code::constructors::{argument, setter};
use crate::code::docs::lines;
use crate::model::ir::{Def, Feature, Field, Id, Shape, Struct, Type};
use crate::texts;

impl Emitter<'_> {
    pub(super) fn structure(&self, id: Id, def: &Def, it: &Struct) -> TokenStream {
        let name = self.name(id);
        let is_sent = self.sent.contains(&id);
        let is_received = self.received.contains(&id);
        let members = it.fields.iter().map(|(wire, field)| Member {
            name: self.member(id, wire),
            wire,
            field,
            ty: self.stored(field, id),
        });
        let members: Vec<_> = members.collect();
        let extra = it.extra.as_ref().map(|ty| self.rust(ty));
        let doc = self.doc_of(id, def);
        let visibility = is_received.then(|| quote!(pub));
        let items = members.iter().map(|it| it.item(visibility.as_ref()));
        let extra_item = extra.as_ref().map(|ty| {
            quote! {
                                /// Members that the schema does not name.
                #[serde(flatten)]
                #visibility extra: Map<#ty>,
            }
        });
        let tag = it.tag.as_ref();
        // The tag needs a field of its own, or it would end up in `extra`.
        let tag_item = tag.filter(|_| extra.is_some()).map(|(member, _)| {
            quote! {
                #[serde(rename = #member, default, skip_serializing)]
                _tag: serde::de::IgnoredAny,
            }
        });
        let tag = tag.map(|(member, value)| quote!(#[serde(tag = #member, rename = #value)]));
        let has_required = members.iter().any(|member| member.field.required);
        let default = (is_sent && !has_required).then(|| quote!(Default,));
        let non_exhaustive = is_received.then(|| quote!(#[non_exhaustive]));
        let methods = is_sent.then(|| self.constructor(name, &members, it, is_received));
        let method = self.sends(id);
        let conversion = method.map(|_| self.conversion(name, &members));
        let of_texts = method.filter(|it| it.feature != Feature::Tool);
        let pairs = of_texts.map(|_| pairs(name, &members));
        quote! {
            #doc
            #[derive(Clone, Debug, #default PartialEq, Serialize, Deserialize)]
            #tag
            #non_exhaustive
            pub struct #name { #(#items)* #tag_item #extra_item }
            #methods
            #pairs
            #conversion
        }
    }

    /// The type of a field: an `Option` if it may be absent.
    fn stored(&self, field: &Field, owner: Id) -> TokenStream {
        if field.required {
            return self.inside(&field.ty, Some(owner));
        }
        let inner = self.inside(field.ty.not_null(), Some(owner));
        quote!(Option<#inner>)
    }

    /// Generates `new`, and a setter for each optional member.
    fn constructor(
        &self,
        name: &Ident,
        members: &[Member<'_>],
        it: &Struct,
        has_fields: bool,
    ) -> TokenStream {
        let is_plain = |named: &str| self.is_plain(named);
        let mut arguments = Vec::new();
        let mut inits = Vec::new();
        let mut setters = Vec::new();
        let mut documented = String::new();
        for member in members {
            let name = &member.name;
            let field = member.field;
            let text = member.ty.to_string();
            if field.required {
                let (argument, stored) = argument(&text, name, &is_plain);
                let stored = stored.map(|stored| quote!(: #stored));
                arguments.push(quote!(#name: #argument));
                inits.push(quote!(#name #stored));
                let line = field.doc.lines().next().unwrap_or_default();
                if !line.is_empty() {
                    documented += &format!("\n- `{}`: {line}", name.unraw());
                }
                continue;
            }
            inits.push(quote!(#name: None));
            let plain = name.unraw();
            let link = format!("Sets [`{plain}`](Self::{plain}).");
            let doc = if has_fields {
                lines(&link)
            } else {
                described(&field.doc, &format!("Sets `{plain}`."))
            };
            setters.push(setter(&text, name, &doc, &is_plain));
        }
        if let Some(ty) = it.extra.as_ref().map(|ty| self.rust(ty)) {
            inits.extend(it.tag.iter().map(|_| quote!(_tag: serde::de::IgnoredAny)));
            inits.push(quote!(extra: Map::new()));
            setters.push(quote! {
                                /// Adds a member that the schema does not name.
                #[must_use]
                pub fn with_extra(mut self, name: impl Into<String>, value: #ty) -> Self {
                    self.extra.insert(name.into(), value);
                    self
                }
            });
        }
        let first = if arguments.is_empty() {
            "Creates a value with all members absent."
        } else {
            "Creates a value with only the required members."
        };
        let gap = if documented.is_empty() { "" } else { "\n" };
        let doc = lines(&format!("{first}{gap}{documented}"));
        quote! {
            impl #name {
                #doc
                #[must_use]
                pub fn new(#(#arguments),*) -> Self { Self { #(#inits),* } }

                #(#setters)*
            }
        }
    }

    /// Whether a named type is passed as it is, not as `impl Into`.
    fn is_plain(&self, name: &str) -> bool {
        let id = self.types.iter().find(|(_, (known, _))| known == name);
        match id.map(|(id, _)| self.model.shape(*id)) {
            Some(shape) => matches!(shape, Some(Shape::Struct(_) | Shape::Enum(_))),
            None => !matches!(name, "String" | "Value"),
        }
    }

    /// Generates the conversion into arguments that have at most one required member.
    fn conversion(&self, name: &Ident, members: &[Member<'_>]) -> Option<TokenStream> {
        let required: Vec<_> = members.iter().filter(|it| it.field.required).collect();
        let [first] = required[..] else {
            return required.is_empty().then(|| {
                quote! {
                    impl From<()> for #name {
                        fn from((): ()) -> Self {
                            Self::new()
                        }
                    }
                }
            });
        };
        let (generics, ty) = match &first.field.ty {
            Type::Text => (quote!(<T: Into<String>>), quote!(T)),
            Type::List(item) if **item == Type::Text => {
                (quote!(<T: IntoIterator<Item: Into<String>>>), quote!(T))
            }
            Type::List(item) => {
                let item = self.rust(item);
                (quote!(<T: IntoIterator<Item = #item>>), quote!(T))
            }
            // Every type already has a conversion from itself.
            Type::Named(own) if self.name(*own) == name => return None,
            Type::Named(_) => (quote!(), self.rust(&first.field.ty)),
            _ => (quote!(), first.ty.clone()),
        };
        Some(quote! {
            impl #generics From<#ty> for #name {
                fn from(value: #ty) -> Self {
                    Self::new(value)
                }
            }
        })
    }
}

/// Generates the conversion of the arguments of a prompt or template into pairs of strings.
fn pairs(name: &Ident, members: &[Member<'_>]) -> TokenStream {
    let pairs = members.iter().map(|member| {
        let wire = member.wire;
        let name = &member.name;
        quote!((#wire, self.#name.into()))
    });
    quote! {
        impl #name {
            fn pairs(self) -> impl Iterator<Item = (&'static str, String)> {
                let pairs: Vec<(_, Option<String>)> = Vec::from([#(#pairs),*]);
                pairs.into_iter().filter_map(|(name, text)| Some((name, text?)))
            }
        }
    }
}

struct Member<'a> {
    name: Ident,
    wire: &'a str,
    field: &'a Field,
    ty: TokenStream,
}

impl Member<'_> {
    fn item(&self, visibility: Option<&TokenStream>) -> TokenStream {
        let name = &self.name;
        let wire = self.wire;
        let field = self.field;
        let ty = &self.ty;
        let doc = described(&field.doc, &format!("The member {}.", texts::code(wire)));
        let rename = (name.unraw() != *wire).then(|| quote!(rename = #wire));
        let absent = (!field.required).then(|| quote!(skip_serializing_if = "Option::is_none"));
        let serde: Vec<_> = rename.into_iter().chain(absent).collect();
        let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
        quote!(#doc #serde #visibility #name: #ty,)
    }
}
