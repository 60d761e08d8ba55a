//! Checks that names are unique across all groups of a server.
//!
//! A macro sees only one group, but the compiler sees all of them, and refuses two associated
//! constants with the same name in one type, at both spans. The constants are checked for every
//! instance of a generic type, unlike a constant expression that compares lists. The compiler's
//! message shows the name of the constant, so the name is the explanation.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

use crate::model::{Function, Kind, Role, Server};

/// Declares a constant for each name in the group, except in a block without groups.
pub(super) fn names(server: &Server) -> TokenStream {
    let alone = matches!(&server.role, Role::Whole { groups, .. } if groups.is_empty());
    if alone || server.functions.is_empty() {
        return TokenStream::new();
    }
    let claims = server.functions.iter().map(claim);
    let self_type = &server.self_type;
    let (generics, _, where_clause) = server.generics.split_for_impl();
    quote_spanned! {Span::mixed_site()=>
        #[allow(dead_code, non_upper_case_globals)]
        impl #generics #self_type #where_clause {
            #(#claims)*
        }
    }
}

fn claim(function: &Function) -> TokenStream {
    let conditions = &function.callable.conditions;
    let (kind, name, span) = match &function.kind {
        Kind::Tool(_) => ("tool_called", function.name.clone(), function.name_span),
        Kind::Prompt => ("prompt_called", function.name.clone(), function.name_span),
        Kind::Resource(resource) => ("resource_under", resource.uri.key(), resource.uri.span()),
    };
    let name = identifier(&name);
    let text = format!("a_{kind}_{name}_exists_already__rename_one_of_them");
    let ident = Ident::new(&text, span);
    // The error is reported at the span of the name.
    quote_spanned! {span=>
        #(#conditions)*
        #[doc(hidden)]
        const #ident: () = ();
    }
}

/// Turns a name into a part of an identifier. If letters have to be replaced, a hash distinguishes
/// the result from similar names.
fn identifier(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.chars().all(is_plain) {
        return name.to_owned();
    }
    let plain = name.replace(|letter| !is_plain(letter), "_");
    format!("{plain}_{:016x}", fnv(name))
}

/// The 64-bit FNV-1a hash.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn names_that_look_alike_are_kept_apart() {
        let names = ["a_b", "a-b", "a.b", "a__b", "book://{a}", "book://{b}"];
        let mut seen = names.map(identifier).to_vec();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), names.len());
        assert!(
            seen.iter()
                .all(|text| syn::parse_str::<syn::Ident>(&format!("a_{text}")).is_ok())
        );
    }
}
