//! Emits the methods: constants and marker types.

use super::docs::{Docs, revisions, with_revisions};
use crate::codegen::merged::merge::{Merged, MergedMethod, Set};
use crate::codegen::model::ir::ErrorCode;
use crate::codegen::model::names::screaming;
use crate::codegen::overlay::file::Overlay;
use itertools::Itertools;
use mcp_bindgen::code::docs::lines;
use mcp_bindgen::code::names::ident;
use mcp_bindgen::code::names::snake;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

/// Emits a marker type for each message, with its trait.
pub(crate) fn markers(merged: &Merged, docs: &Docs<'_>) -> TokenStream {
    let methods = merged.methods.iter();
    let markers = methods.map(|(method, entry)| marker(merged, method, entry, docs));
    markers.collect()
}

/// Emits a constant for each method.
pub(crate) fn methods(merged: &Merged) -> TokenStream {
    let constants = merged.methods.iter().map(|(method, entry)| {
        let name = method_name(merged, method);
        constant(&name, method, &revisions(merged, &entry.known))
    });
    constants.collect()
}

fn constant(name: &str, text: &str, revisions: &str) -> TokenStream {
    let name = ident(name);
    let doc = lines(&format!("`{text}`; revisions: {revisions}."));
    quote!(#doc pub const #name: &str = #text;)
}

fn marker(merged: &Merged, name: &str, entry: &MergedMethod, docs: &Docs<'_>) -> TokenStream {
    let method = &entry.method;
    let marker = ident(&method.name);
    let constant = ident(&method_name(merged, name));
    let params = ident(&method.params);
    let optional = entry.may_lack_params();
    let sender = match (entry.by_client.is_empty(), entry.by_server.is_empty()) {
        (false, false) => "client or server",
        (false, true) => "the client",
        (true, false) => "the server",
        (true, true) => "the server, inside a result",
    };
    let kind = if method.request {
        "request"
    } else {
        "notification"
    };
    let doc = format!("The {kind} `{name}`, sent by {sender}.");
    let doc = docs.with_deprecation(&method.name, &doc, &entry.known);
    let result = method.result.as_deref().map(ident);
    let interface = match result {
        Some(_) => quote!(Request),
        None => quote!(Notification),
    };
    let may_ask = !entry.alternative.is_empty();
    let may_ask = result
        .as_ref()
        .map(|_| quote!(const MAY_REQUIRE_INPUT: bool = #may_ask;));
    let result = result.map(|result| quote!(type Result = super::#result;));
    quote! {
        #doc
        #[derive(Clone, Copy, Debug)]
        pub enum #marker {}

        impl #interface for #marker {
            const METHOD: &'static str = methods::#constant;
            const PARAMS_OPTIONAL: bool = #optional;
            #may_ask
            type Params = super::#params;
            #result
        }
    }
}

/// Returns the name of a method's constant.
pub(crate) fn method_name(merged: &Merged, method: &str) -> String {
    merged.identifier(&format!("methods::{method}"), screaming(method))
}

/// Returns the name of a `_meta` key's constant.
pub(crate) fn meta_key_name(merged: &Merged, key: &str) -> String {
    let last = key.rsplit('/').next().unwrap_or(key);
    merged.identifier(&format!("meta_keys::{key}"), screaming(last))
}

/// Returns the name of an error code's constant.
pub(crate) fn code_name(merged: &Merged, code: i64, error: &ErrorCode) -> String {
    merged.identifier(&format!("error_codes::{code}"), screaming(&error.name))
}

/// Returns the keys of the `_meta` structs, and the keys that only the text of the specification
/// reserves, each with its revisions.
pub(crate) fn all_meta_keys(merged: &Merged, overlay: &Overlay) -> Vec<(String, String)> {
    let mut keys: BTreeMap<String, Set> = BTreeMap::new();
    let structs = merged.structs();
    let structs = structs.filter(|(name, _)| name.ends_with("MetaObject"));
    for (key, field) in structs.flat_map(|(_, structure)| structure.stored()) {
        keys.entry(key.clone()).or_default().extend(&field.known);
    }
    let is_stored = |revision: &String| merged.revisions.contains(revision);
    let reserved = &overlay.meta_key;
    for entry in reserved.matching(|entry| entry.revisions.iter().any(is_stored)) {
        let known = merged.revisions.iter();
        let known = known.positions(|revision| entry.revisions.contains(revision));
        keys.entry(entry.key.clone()).or_default().extend(known);
    }
    let keys = keys.into_iter();
    let keys = keys.map(|(key, known)| (key, revisions(merged, &known)));
    keys.collect()
}

/// Emits a constant for each key of `_meta`.
pub(crate) fn meta_keys(merged: &Merged, overlay: &Overlay) -> TokenStream {
    let keys = all_meta_keys(merged, overlay).into_iter();
    let constants =
        keys.map(|(key, revisions)| constant(&meta_key_name(merged, &key), &key, &revisions));
    constants.collect()
}

/// Emits a constant for each error code of the protocol.
pub(crate) fn codes(merged: &Merged) -> TokenStream {
    let codes = merged.errors.iter().map(|(code, (error, set))| {
        let name = ident(&code_name(merged, *code, error));
        let data = match &error.data {
            Some(data) => format!("; `data` is a [`{data}`](super::{data})"),
            None => String::new(),
        };
        let doc = format!("{}{data}.", words(&error.name));
        let doc = with_revisions(&doc, merged, set);
        let code = proc_macro2::Literal::i64_unsuffixed(*code);
        quote!(#doc pub const #name: i64 = #code;)
    });
    codes.collect()
}

/// Turns a name such as `HeaderMismatch` into a phrase.
fn words(name: &str) -> String {
    let mut words = snake(name).replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}
