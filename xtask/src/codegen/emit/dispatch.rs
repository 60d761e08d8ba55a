//! Methods as Rust: constants, and the type behind each.

use super::docs::lines;
use super::rust::ident;
use crate::codegen::merged::merge::{Merged, MergedMethod, MergedStruct, Set};
use crate::codegen::model::ir::ErrorCode;
use crate::codegen::model::names::{pascal, screaming};
use crate::codegen::overlay::file::Overlay;
use proc_macro2::TokenStream;
use quote::quote;

/// One marker type for each message, with its trait.
pub(crate) fn markers(merged: &Merged) -> TokenStream {
    let methods = merged.methods.iter();
    let markers = methods.map(|(method, entry)| marker(merged, method, entry));
    markers.collect()
}

/// One constant for each method.
pub(crate) fn methods(merged: &Merged) -> TokenStream {
    let constants = merged.methods.iter().map(|(method, entry)| {
        let name = method_name(merged, method);
        constant(&name, method, &known(merged, &entry.known))
    });
    constants.collect()
}

/// A constant for a text on the wire.
fn constant(name: &str, text: &str, revisions: &str) -> TokenStream {
    let name = ident(name);
    let doc = lines(&format!("`{text}`; revisions: {revisions}."));
    quote!(#doc pub const #name: &str = #text;)
}

fn known(merged: &Merged, known: &Set) -> String {
    let span = merged.span(known);
    span.trim_end_matches(" revisions").to_owned()
}

fn marker(merged: &Merged, name: &str, entry: &MergedMethod) -> TokenStream {
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
    let revisions = known(merged, &entry.known);
    let doc = lines(&format!(
        "The {kind} `{name}`, sent by {sender}.\n\nRevisions: {revisions}."
    ));
    let implementation = match &method.result {
        Some(result) => {
            let result = ident(result);
            let may_ask = !entry.alternative.is_empty();
            quote! {
                impl Request for #marker {
                    const METHOD: &'static str = methods::#constant;
                    const PARAMS_OPTIONAL: bool = #optional;
                    const MAY_REQUIRE_INPUT: bool = #may_ask;
                    type Params = super::#params;
                    type Result = super::#result;
                }
            }
        }
        None => quote! {
            impl Notification for #marker {
                const METHOD: &'static str = methods::#constant;
                const PARAMS_OPTIONAL: bool = #optional;
                type Params = super::#params;
            }
        },
    };
    quote! {
        #doc
        #[derive(Clone, Copy, Debug)]
        pub enum #marker {}

        #implementation
    }
}

/// The constant of a method.
pub(crate) fn method_name(merged: &Merged, method: &str) -> String {
    merged.identifier(&format!("methods::{method}"), screaming(method))
}

/// The constant of a `_meta` key.
pub(crate) fn meta_key_name(merged: &Merged, key: &str) -> String {
    let last = key.rsplit('/').next().unwrap_or(key);
    merged.identifier(&format!("meta_keys::{key}"), screaming(last))
}

/// The constant of an error code.
pub(crate) fn code_name(merged: &Merged, code: i64, error: &ErrorCode) -> String {
    merged.identifier(&format!("error_codes::{code}"), screaming(&error.name))
}

/// Each key of the `_meta` structs, and those that only prose reserves, with its revisions.
pub(crate) fn all_meta_keys(merged: &Merged, overlay: &Overlay) -> Vec<(String, String)> {
    let mut keys = std::collections::BTreeMap::new();
    for name in merged.types.keys() {
        let structure = merged
            .structure(name)
            .filter(|_| name.ends_with("MetaObject"));
        for (key, field) in structure.into_iter().flat_map(MergedStruct::stored) {
            let known: &mut Set = keys.entry(key.clone()).or_default();
            known.extend(&field.known);
        }
    }
    let is_stored = |revision: &String| merged.revisions.contains(revision);
    for entry in overlay
        .meta_key
        .matching(|entry| entry.revisions.iter().any(is_stored))
    {
        let revisions = merged.revisions.iter().enumerate();
        let known = revisions.filter(|(_, revision)| entry.revisions.contains(revision));
        let all: &mut Set = keys.entry(entry.key.clone()).or_default();
        all.extend(known.map(|(index, _)| index));
    }
    keys.into_iter()
        .map(|(key, set)| (key, known(merged, &set)))
        .collect()
}

/// One constant for each key of `_meta`.
pub(crate) fn meta_keys(merged: &Merged, overlay: &Overlay) -> TokenStream {
    let keys = all_meta_keys(merged, overlay).into_iter();
    let constants =
        keys.map(|(key, revisions)| constant(&meta_key_name(merged, &key), &key, &revisions));
    constants.collect()
}

/// One constant for each error code of the protocol's own.
pub(crate) fn codes(merged: &Merged) -> TokenStream {
    let codes = merged.errors.iter().map(|(code, (error, set))| {
        let name = ident(&code_name(merged, *code, error));
        let data = match &error.data {
            Some(data) => format!("; `data` is a [`{data}`](super::{data})"),
            None => String::new(),
        };
        let revisions = known(merged, set);
        let doc = lines(&format!(
            "{}{data}.\n\nRevisions: {revisions}.",
            words(&error.name)
        ));
        let code = proc_macro2::Literal::i64_unsuffixed(*code);
        quote!(#doc pub const #name: i64 = #code;)
    });
    codes.collect()
}

/// `HeaderMismatch` as a phrase.
fn words(name: &str) -> String {
    let snake = crate::codegen::model::names::snake(&pascal(name)).replace('_', " ");
    let mut chars = snake.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
