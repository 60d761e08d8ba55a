//! The capability that each method needs, and the check that a side has declared it.

use crate::codegen::by_revision::span::bits;
use crate::codegen::emit::rust;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::Merged;
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::Capability;
use crate::codegen::overlay::proposal::Proposal;
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// The sides, each with the type of its capabilities and its variant of `Side`.
const SIDES: [(&str, &str, &str); 2] = [
    ("client", "ClientCapabilities", "Client"),
    ("server", "ServerCapabilities", "Server"),
];

/// Asks for the capability of each method that has no entry; twice if both sides receive the method.
pub(crate) fn ask(merged: &Merged, overlay: &Overlay) {
    for (method, message) in &merged.methods {
        let entries = overlay.capability.matching(|it| it.method == *method);
        let settled: Vec<_> = entries.map(|entry| entry.of.as_deref()).collect();
        let is_mutual = !message.by_client.is_empty() && !message.by_server.is_empty();
        if settled.contains(&None) || !(settled.is_empty() || message.method.request && is_mutual) {
            continue;
        }
        let (part, sides) = likely(merged, method);
        let sides = sides.iter().take(if is_mutual { 2 } else { 1 });
        let open = sides.filter(|side| !settled.contains(&Some(side)));
        let entry = || Proposal::of("capability").with("method", &**method);
        let needs = open.map(|side| entry().with("of", *side).with("path", part));
        let mut needs: Vec<_> = needs.collect();
        if needs.is_empty() && settled.is_empty() {
            needs.push(entry().with("none", true));
        }
        for need in needs {
            let what = "no schema names the capability that it needs";
            let entry = need.with("source", "").text();
            overlay.decisions.ask(method, what, entry);
        }
    }
}

/// Returns the first part of a method's name, and the sides that have a capability of this name.
fn likely<'a>(merged: &Merged, method: &'a str) -> (&'a str, Vec<&'static str>) {
    let part = method.trim_start_matches("notifications/");
    let part = part.split('/').next().unwrap_or(part);
    let sides = SIDES.iter();
    let sides = sides.filter(|(_, name, _)| merged.field(name, part).is_some());
    (part, sides.map(|(side, ..)| *side).collect())
}

/// Emits the entries of a method as `CapabilityInfo`.
pub(crate) fn of_method(
    merged: &Merged,
    overlay: &Overlay,
    method: &str,
) -> Result<Vec<TokenStream>> {
    let entries = overlay.capability.matching(|entry| entry.method == method);
    let infos = entries.filter_map(|entry| info(merged, entry).transpose());
    infos.collect()
}

/// Emits the `CapabilityInfo` of an entry, unless the entry says that no capability is needed.
fn info(merged: &Merged, entry: &Capability) -> Result<Option<TokenStream>> {
    let fault = |what: &str| Error::conflict(&entry.method, format!("its `capability`: {what}"));
    let (of, path) = match (&entry.of, &entry.path, entry.none) {
        (None, None, true) => return Ok(None),
        (Some(of), Some(path), false) => (of, path),
        _ => return Err(fault("either `of` and `path`, or `none = true`")),
    };
    let side = SIDES.iter().find(|(side, ..)| side == of);
    let &(_, mut name, side) = side.ok_or_else(|| fault("`of` is `client` or `server`"))?;
    let mut known = TokenStream::new();
    for part in path.split('.') {
        let field = merged.field(name, part);
        let field = field.ok_or_else(|| fault(&format!("{name} has no `{part}`")))?;
        known = bits(&field.known);
        name = field.ty.name().unwrap_or_default();
    }
    let side = ident(side);
    let info = quote!(CapabilityInfo::new(Side::#side, #path, #known));
    Ok(Some(info))
}

/// Emits `declares` for the capabilities of both sides. [`of_method`] must have checked the entries.
pub(crate) fn declares(merged: &Merged, overlay: &Overlay) -> TokenStream {
    let sides = SIDES.iter().map(|(side, holder, _)| {
        let is_of = |entry: &Capability| entry.of.as_deref() == Some(side);
        let entries = overlay.capability.matching(is_of);
        let paths: BTreeSet<_> = entries.filter_map(|entry| entry.path.as_ref()).collect();
        let arms = paths.into_iter().map(|path| {
            let test = declared(merged, overlay, holder, path, &quote!(self));
            quote!(#path => #test)
        });
        let name = ident(holder);
        quote! {
            impl #name {
                /// Returns true if the capability at `path`, such as `resources.subscribe`, is declared.
                ///
                /// Only paths that occur in [`MethodInfo::capabilities`] are known.
                #[must_use]
                pub fn declares(&self, path: &str) -> bool {
                    match path { #(#arms,)* _ => false }
                }
            }
        }
    });
    sides.collect()
}

/// Emits an expression that is true if `holder`, a struct `name`, declares the capability at `path`.
fn declared(
    merged: &Merged,
    overlay: &Overlay,
    name: &str,
    path: &str,
    holder: &TokenStream,
) -> TokenStream {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let place = ident(&rust::field_name(name, first, overlay));
    let place = quote!(#holder.#place);
    let Some(field) = merged.field(name, first) else {
        return quote!(false);
    };
    let inner = |holder: &TokenStream| match field.ty.name() {
        Some(name) if !rest.is_empty() => Some(declared(merged, overlay, name, rest, holder)),
        _ => None,
    };
    let is_flag = field.ty == Type::Bool;
    if !field.is_option() {
        let flag = if is_flag { place.clone() } else { quote!(true) };
        return inner(&place).unwrap_or(flag);
    }
    match inner(&quote!(inner)) {
        Some(test) => quote!(#place.as_ref().is_some_and(|inner| #test)),
        None if is_flag => quote!(#place == Some(true)),
        None => quote!(#place.is_some()),
    }
}
