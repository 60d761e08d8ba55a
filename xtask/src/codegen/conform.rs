//! `Conform`: each value made into what one revision allows.
//!
//! Fields that a revision does not know go, fields that it requires come, and
//! values that it cannot express become the nearest one that it can.

use super::error::{Error, Result};
use super::fields::Fields;
use super::ir::Type;
use super::merge::{Merged, MergedEnum, MergedMember, MergedType, Set, Shape};
use super::nearest;
use super::overlay::{Nearest, Overlay};
use super::rust::ident;
use super::span::{bits, condition};
use super::variants::{self, Tag};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// `Conform` of all types.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let mut active = BTreeSet::new();
    // A type matters if something in it can change, however deep.
    loop {
        let conform = Conform {
            merged,
            overlay,
            active: &active,
        };
        let mut next = BTreeSet::new();
        for (name, ty) in &merged.types {
            if !conform.body(name, ty)?.is_empty() {
                next.insert(name.clone());
            }
        }
        if next == active {
            break;
        }
        active = next;
    }
    let conform = Conform {
        merged,
        overlay,
        active: &active,
    };
    let types = merged
        .types
        .iter()
        .map(|(name, ty)| conform.implementation(name, ty));
    types.collect()
}

/// What is known while the code is put together.
pub(crate) struct Conform<'a> {
    pub(crate) merged: &'a Merged,
    pub(crate) overlay: &'a Overlay,
    /// The types of which something can change.
    pub(crate) active: &'a BTreeSet<String>,
}

impl Conform<'_> {
    fn implementation(&self, name: &str, ty: &MergedType) -> Result<TokenStream> {
        let body = self.body(name, ty)?;
        let nearest = self.overlay.nearest(name);
        let support = match &ty.shape {
            Shape::Struct(_) => TokenStream::new(),
            Shape::Enum(values) => self.enum_exists(name, ty, values),
            Shape::Union(members) => {
                let exists = self.union_exists(name, ty, members);
                let nearest = nearest
                    .map(|nearest| nearest::of_union(self, name, members, nearest))
                    .transpose()?;
                quote!(#exists #nearest)
            }
        };
        if matches!(ty.shape, Shape::Enum(_)) && nearest.is_none() {
            return Ok(support);
        }
        let name = ident(name);
        let revision = revision_in(&body);
        Ok(quote! {
            #support

            impl Conform for #name {
                fn conform(&mut self, #revision: Revision) { #body }
            }
        })
    }

    /// The statements that make a value conform.
    fn body(&self, name: &str, ty: &MergedType) -> Result<TokenStream> {
        match &ty.shape {
            Shape::Struct(structure) => Fields {
                conform: self,
                name,
                ty,
                structure,
            }
            .body(),
            Shape::Union(members) => Ok(self.union_body(name, members)),
            Shape::Enum(_) => Ok(match self.overlay.nearest(name) {
                Some(Nearest {
                    value: Some(value), ..
                }) => quote! {
                    if !self.exists_in(revision) {
                        *self = Self::from(#value);
                    }
                },
                _ => TokenStream::new(),
            }),
        }
    }

    fn union_body(&self, name: &str, members: &[MergedMember]) -> TokenStream {
        let variants = variants::of_union(self.merged, name, members);
        let nearest = self.overlay.nearest(name).map(|_| {
            let nearest = quote!(Self::from_text(self.describe()));
            let nearest = match variants::tag(self.merged, members) {
                Tag::BestMatch => {
                    let known = members.iter().map(|member| bits(&member.known));
                    quote!(fit::refit(self, &[#(#known),*], revision).unwrap_or_else(|| #nearest))
                }
                _ => nearest,
            };
            quote! {
                if !self.exists_in(revision) {
                    *self = #nearest;
                }
            }
        });
        let arms = members
            .iter()
            .zip(&variants)
            .filter_map(|(member, variant)| {
                let variant = ident(variant);
                let optional = self.optional_params(member);
                let fill = optional.and_then(|method| {
                    let required = &self.merged.methods.get(method)?.params_required;
                    condition(self.merged, required, &member.known).map(|condition| {
                        quote! {
                            if #condition {
                                value.get_or_insert_default();
                            }
                        }
                    })
                });
                let visit = match optional {
                    Some(_) => {
                        let visit = self.visit(&member.member.ty, &quote!(value), None)?;
                        quote!(if let Some(value) = value { #visit })
                    }
                    None => self.visit(&member.member.ty, &quote!(value), None)?,
                };
                Some((quote!(Self::#variant(value)), quote!(#fill #visit)))
            });
        let (patterns, bodies): (Vec<_>, Vec<_>) = arms.unzip();
        let arms = match (&patterns[..], &bodies[..]) {
            ([], _) => TokenStream::new(),
            ([pattern], [body]) => quote!(if let #pattern = self { #body }),
            _ => quote!(match self { #(#patterns => { #bodies })* _ => {} }),
        };
        quote!(#nearest #arms)
    }

    /// The method of a variant whose parameters may be absent.
    fn optional_params<'m>(&self, member: &'m MergedMember) -> Option<&'m str> {
        let name = member.member.method.as_deref()?;
        let method = self.merged.methods.get(name)?;
        (method.params_required != method.known).then_some(name)
    }

    /// Statements that make the value at `place` conform.
    pub(crate) fn visit(
        &self,
        ty: &Type,
        place: &TokenStream,
        max_items: Option<u64>,
    ) -> Option<TokenStream> {
        match ty {
            Type::Named(name) => self
                .active
                .contains(name)
                .then(|| quote!(#place.conform(revision);)),
            Type::Number => Some(quote!(fit::number(#place, f64::MIN, f64::MAX);)),
            Type::OneOrMany(inner) => {
                let visit = self.visit(inner, &quote!(value), None)?;
                Some(quote!(for value in #place.as_mut_slice() { #visit }))
            }
            Type::List(inner) => {
                let truncate = max_items.and_then(|max| usize::try_from(max).ok());
                let truncate = truncate.map(|max| quote!(#place.truncate(#max);));
                let retain = quote!(#place.retain(|item| item.exists_in(revision)););
                let items = self.items(inner, retain, |visit| match **inner {
                    Type::Named(_) => quote!(#place.conform(revision);),
                    _ => quote!(for value in #place.iter_mut() { #visit }),
                });
                (truncate.is_some() || items.is_some()).then(|| quote!(#truncate #items))
            }
            Type::Map(inner) => {
                let retain = quote!(#place.retain(|_, item| item.exists_in(revision)););
                self.items(
                    inner,
                    retain,
                    |visit| quote!(for value in #place.values_mut() { #visit }),
                )
            }
            _ => None,
        }
    }

    /// Statements for the items of a list or map; `each` makes of those for one those for all.
    fn items(
        &self,
        inner: &Type,
        retain: TokenStream,
        each: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Option<TokenStream> {
        let retain = self.is_droppable(inner).then_some(retain);
        let visit = self.visit(inner, &quote!(value), None);
        // What is left of an enum needs no more.
        let visit = visit.filter(|_| retain.is_none() || self.has_parts(inner));
        let visit = visit.map(each);
        (retain.is_some() || visit.is_some()).then(|| quote!(#retain #visit))
    }

    /// Whether a value that cannot be expressed is better left out than replaced.
    pub(crate) fn is_droppable(&self, ty: &Type) -> bool {
        let Type::Named(name) = ty else {
            return false;
        };
        match self.merged.types.get(name).map(|ty| (&ty.shape, &ty.known)) {
            Some((Shape::Enum(values), known)) => values.open != *known,
            Some((Shape::Union(_), _)) => self.overlay.nearest(name).is_none(),
            _ => false,
        }
    }

    /// Whether the type is more than a string.
    fn has_parts(&self, ty: &Type) -> bool {
        let shape = ty
            .name()
            .and_then(|name| self.merged.types.get(name))
            .map(|ty| &ty.shape);
        !matches!(shape, Some(Shape::Enum(_)))
    }

    fn enum_exists(&self, name: &str, ty: &MergedType, values: &MergedEnum) -> TokenStream {
        let known = values
            .values
            .iter()
            .map(|(value, known)| (variants::of_value(value), known));
        self.exists(name, ty, known, &values.open)
    }

    fn union_exists(&self, name: &str, ty: &MergedType, members: &[MergedMember]) -> TokenStream {
        let variants = variants::of_union(self.merged, name, members);
        let known = variants
            .into_iter()
            .zip(members.iter().map(|member| &member.known));
        self.exists(name, ty, known, &Set::new())
    }

    /// `exists_in` of an enum or union.
    fn exists<'s>(
        &self,
        name: &str,
        ty: &MergedType,
        variants: impl Iterator<Item = (String, &'s Set)>,
        unknown: &Set,
    ) -> TokenStream {
        let mut arms = Vec::new();
        let variants = variants.map(|(variant, known)| (variant, known.clone()));
        for (variant, known) in variants.chain([("Unknown".to_owned(), unknown.clone())]) {
            let variant = ident(&variant);
            if let Some(condition) = condition(self.merged, &known, &ty.known) {
                arms.push(quote!(Self::#variant { .. } => #condition));
            }
        }
        let name = ident(name);
        let revision = revision_in(&quote!(#(#arms)*));
        let body = match (&arms[..], unknown.is_empty()) {
            ([], _) => quote!(true),
            ([_], true) => quote!(!matches!(self, Self::Unknown(_))),
            _ => quote!(match self { #(#arms,)* _ => true }),
        };
        quote! {
            impl #name {
                /// Whether a message of that revision can contain this value.
                #[must_use]
                pub fn exists_in(&self, #revision: Revision) -> bool {
                    #body
                }
            }
        }
    }

    /// The method of `Option` that fills an absent field where it is required.
    pub(crate) fn fill(&self, place: &str, ty: &Type) -> Result<TokenStream> {
        let fault = |what: &str| Error::conflict(place, what);
        let Some(json) = self.overlay.fill_at(place) else {
            return match ty {
                Type::Named(name) if self.is_empty_struct(name) => {
                    let name = ident(name);
                    Ok(quote!(get_or_insert_with(#name::new)))
                }
                _ => Err(fault(
                    "required in some revisions only, and nothing to fill it with",
                )),
            };
        };
        let value: serde_json::Value =
            serde_json::from_str(json).map_err(|_| fault("the fill is not JSON"))?;
        match (ty, value) {
            (Type::Text, serde_json::Value::String(text)) if text == "$revision" => {
                Ok(quote!(get_or_insert_with(|| revision.as_str().to_owned())))
            }
            (Type::Text, serde_json::Value::String(text)) => {
                Ok(quote!(get_or_insert_with(|| #text.to_owned())))
            }
            (Type::Named(name), serde_json::Value::String(text)) => {
                let name = ident(name);
                Ok(quote!(get_or_insert_with(|| #name::from(#text))))
            }
            (Type::Integer { .. }, serde_json::Value::Number(number)) => {
                let number: TokenStream = number.to_string().parse().unwrap_or_default();
                Ok(quote!(get_or_insert(#number)))
            }
            (Type::Named(name), serde_json::Value::Object(fields)) if fields.is_empty() => {
                let name = ident(name);
                Ok(quote!(get_or_insert_with(#name::new)))
            }
            _ => Err(fault("cannot be filled with that value")),
        }
    }

    fn is_empty_struct(&self, name: &str) -> bool {
        let structure = self.merged.structure(name);
        structure.is_some_and(|structure| structure.stored().all(|(_, field)| !field.always))
    }
}

/// The name of the parameter `revision`, if the body uses it.
fn revision_in(body: &TokenStream) -> TokenStream {
    parameter_in(body, "revision")
}

/// The name of the parameter `name`, if the body uses it.
pub(super) fn parameter_in(body: &TokenStream, name: &str) -> TokenStream {
    let is_used = body
        .to_string()
        .split(|c: char| !c.is_alphanumeric() && c != '"')
        .any(|word| word == name);
    let name = ident(name);
    if is_used { quote!(#name) } else { quote!(_) }
}
