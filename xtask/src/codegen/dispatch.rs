//! Methods as Rust: constants, and the type behind each.

use super::docs::lines;
use super::keys::in_words;
use super::merge::{Merged, MergedMethod, MergedStruct, Set};
use super::names::{pascal, screaming};
use super::overlay::Overlay;
use super::rust::ident;
use proc_macro2::TokenStream;
use quote::quote;

/// One marker type for each message, with its trait.
pub(crate) fn markers(merged: &Merged) -> TokenStream {
    let markers = merged
        .methods
        .iter()
        .map(|(method, entry)| marker(merged, method, entry));
    markers.collect()
}

/// One constant for each method.
pub(crate) fn methods(merged: &Merged) -> TokenStream {
    let constants = merged.methods.iter().map(|(method, entry)| {
        let name = ident(&screaming(method));
        let doc = lines(&format!(
            "`{method}`; revisions: {}.",
            known(merged, &entry.known)
        ));
        quote!(#doc pub const #name: &str = #method;)
    });
    constants.collect()
}

fn known(merged: &Merged, known: &Set) -> String {
    in_words(merged, known)
        .trim_end_matches(" revisions")
        .to_owned()
}

fn marker(merged: &Merged, name: &str, entry: &MergedMethod) -> TokenStream {
    let method = &entry.method;
    let marker = ident(&method.name);
    let constant = ident(&screaming(name));
    let params = match &method.params {
        Some(params) => {
            let params = ident(params);
            quote!(super::#params)
        }
        None => quote!(crate::JsonObject),
    };
    let optional = entry.params_required != entry.known;
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
                    type Params = #params;
                    type Result = super::#result;
                }
            }
        }
        None => quote! {
            impl Notification for #marker {
                const METHOD: &'static str = methods::#constant;
                const PARAMS_OPTIONAL: bool = #optional;
                type Params = #params;
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

/// One constant for each key of the `_meta` structs, and for those that only prose reserves.
pub(crate) fn meta_keys(merged: &Merged, overlay: &Overlay) -> TokenStream {
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
    let by_schema = keys
        .iter()
        .map(|(key, set)| (key.as_str(), known(merged, set)));
    let by_prose = overlay
        .meta_key
        .iter()
        .map(|entry| (entry.key.as_str(), entry.revisions.clone()));
    let mut all: Vec<_> = by_schema.chain(by_prose).collect();
    all.sort();
    all.into_iter()
        .map(|(key, revisions)| {
            let name = ident(&screaming(key.rsplit('/').next().unwrap_or(key)));
            let doc = lines(&format!("`{key}`; revisions: {revisions}."));
            quote!(#doc pub const #name: &str = #key;)
        })
        .collect()
}

/// One constant for each error code of the protocol's own.
pub(crate) fn codes(merged: &Merged) -> TokenStream {
    let codes = merged.errors.iter().map(|(code, (error, set))| {
        let name = ident(&screaming(&error.name));
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
    let snake = super::names::snake(&pascal(name)).replace('_', " ");
    let mut chars = snake.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
