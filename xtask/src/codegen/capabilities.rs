//! Which capability a method needs, and whether a side has declared it.

use super::entry_kinds::Capability;
use super::error::{Error, Result};
use super::ir::Type;
use super::merge::{Merged, Set};
use super::overlay::Overlay;
use super::rust::{self, ident};
use super::span::bits;
use proc_macro2::TokenStream;
use quote::quote;

/// Side, type of its capabilities, and `Side` in generated code.
const SIDES: [(&str, &str, &str); 2] = [
    ("client", "ClientCapabilities", "Client"),
    ("server", "ServerCapabilities", "Server"),
];

/// Asks for the capability of each method that has no entry; of both sides where both receive it.
pub(super) fn ask(merged: &Merged, overlay: &Overlay) {
    for (method, message) in &merged.methods {
        let entries = overlay.capability.matching(|it| it.method == *method);
        let settled: Vec<_> = entries.map(|entry| entry.of.as_deref()).collect();
        let is_mutual = !message.by_client.is_empty() && !message.by_server.is_empty();
        if settled.contains(&None) || !(settled.is_empty() || message.method.request && is_mutual) {
            continue;
        }
        let (part, sides) = likely(merged, method);
        let needs: Vec<_> = match sides[..] {
            [] if settled.is_empty() => vec!["none = true".to_owned()],
            _ => {
                let sides = sides.iter().take(if is_mutual { 2 } else { 1 });
                let open = sides.filter(|side| !settled.contains(&Some(side)));
                open.map(|side| format!("of = \"{side}\"\npath = \"{part}\""))
                    .collect()
            }
        };
        for need in needs {
            let entry = format!("[[capability]]\nmethod = \"{method}\"\n{need}\nsource = \"\"");
            let what = "no schema names the capability that it needs";
            overlay.decisions.ask(method, what, entry);
        }
    }
}

/// The first part of a method's name, and the sides that have a capability of this name.
fn likely<'a>(merged: &Merged, method: &'a str) -> (&'a str, Vec<&'static str>) {
    let part = method.trim_start_matches("notifications/");
    let part = part.split('/').next().unwrap_or(part);
    let has = |name| {
        let structure = merged.structure(name);
        structure.is_some_and(|def| def.fields.contains_key(part))
    };
    let sides = SIDES.iter().filter(|(_, name, _)| has(name));
    (part, sides.map(|(side, ..)| *side).collect())
}

/// The entries of a method, as `CapabilityInfo`.
pub(super) fn of_method(
    merged: &Merged,
    overlay: &Overlay,
    method: &str,
) -> Result<Vec<TokenStream>> {
    let entries = overlay.capability.matching(|entry| entry.method == method);
    let gates = entries.filter_map(|entry| gate(merged, entry).transpose());
    let infos = gates.map(|gate| {
        let Gate {
            side, path, known, ..
        } = gate?;
        let (side, known) = (ident(side), bits(&known));
        Ok(quote!(CapabilityInfo::new(Side::#side, #path, #known)))
    });
    infos.collect()
}

/// A capability that a method depends on.
struct Gate<'a> {
    side: &'static str,
    /// The type of the side's capabilities.
    holder: &'static str,
    path: &'a str,
    /// The revisions in which it can be declared.
    known: Set,
}

/// The gate of an entry, unless that says that there is none.
fn gate<'a>(merged: &Merged, entry: &'a Capability) -> Result<Option<Gate<'a>>> {
    let fault = |what: &str| Error::conflict(&entry.method, format!("its `capability`: {what}"));
    let (of, path) = match (&entry.of, &entry.path, entry.none) {
        (None, None, true) => return Ok(None),
        (Some(of), Some(path), false) => (of, path),
        _ => return Err(fault("either `of` and `path`, or `none = true`")),
    };
    let side = SIDES.iter().find(|(side, ..)| side == of);
    let (_, holder, side) = side.ok_or_else(|| fault("`of` is `client` or `server`"))?;
    let mut name = (*holder).to_owned();
    let mut known = Set::new();
    for part in path.split('.') {
        let structure = merged.structure(&name);
        let field = structure.and_then(|structure| structure.fields.get(part));
        let field = field.ok_or_else(|| fault(&format!("{name} has no `{part}`")))?;
        known.clone_from(&field.known);
        name = field.ty.name().unwrap_or_default().to_owned();
    }
    Ok(Some(Gate {
        side,
        holder,
        path,
        known,
    }))
}

/// `declares` of both sides' capabilities.
pub(super) fn declares(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let entries = overlay.capability.matching(|_| true);
    let gates = entries.filter_map(|entry| gate(merged, entry).transpose());
    let mut gates = gates.collect::<Result<Vec<_>>>()?;
    gates.sort_by_key(|gate| (gate.holder, gate.path));
    gates.dedup_by_key(|gate| (gate.holder, gate.path));
    let sides = SIDES.iter().map(|(_, name, _)| {
        let gates = gates.iter().filter(|gate| gate.holder == *name);
        let arms = gates.map(|gate| {
            let path = gate.path;
            let test = declared(merged, overlay, name, path, &quote!(self));
            quote!(#path => #test)
        });
        let name = ident(name);
        quote! {
            impl #name {
                /// Whether the capability at `path`, such as `resources.subscribe`, is declared.
                ///
                /// Known are the paths that [`MethodInfo::capabilities`] names.
                #[must_use]
                pub fn declares(&self, path: &str) -> bool {
                    match path { #(#arms,)* _ => false }
                }
            }
        }
    });
    Ok(sides.collect())
}

fn declared(
    merged: &Merged,
    overlay: &Overlay,
    name: &str,
    path: &str,
    holder: &TokenStream,
) -> TokenStream {
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(a, b)| (a, Some(b)));
    let field = ident(&rust::field_name(name, first, overlay));
    let ty = merged
        .structure(name)
        .and_then(|structure| structure.fields.get(first));
    let inner = ty.and_then(|field| field.ty.name()).unwrap_or_default();
    let always = ty.is_some_and(|field| field.always && !field.nullable);
    match (rest, ty.map(|field| &field.ty)) {
        (Some(rest), _) if always => {
            declared(merged, overlay, inner, rest, &quote!(#holder.#field))
        }
        (None, Some(Type::Bool)) if always => quote!(#holder.#field),
        (None, _) if always => quote!(true),
        (Some(rest), _) => {
            let test = declared(merged, overlay, inner, rest, &quote!(inner));
            quote!(#holder.#field.as_ref().is_some_and(|inner| #test))
        }
        (None, Some(Type::Bool)) => quote!(#holder.#field == Some(true)),
        (None, _) => quote!(#holder.#field.is_some()),
    }
}
