//! Constructors of one revision: what it requires is there.
//!
//! In the model of all revisions, a field that has a `fill` is optional, and `Conform` fills it. In
//! that of one revision, the constructor does.

use super::conform::Conform;
use super::error::{Error, Result};
use super::ir::Type;
use super::merge::{Merged, Shape};
use super::overlay::Overlay;
use super::rust;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMethodCall, FieldValue, ItemImpl, parse_quote};

/// Makes arguments of the fields that have no value to speak of: those filled with no text.
pub(super) fn require(merged: &mut Merged, overlay: &Overlay) {
    for (name, ty) in &mut merged.types {
        if let Shape::Struct(structure) = &mut ty.shape {
            for (wire, field) in &mut structure.fields {
                let fill = overlay.fill.at(&format!("{name}.{wire}"));
                let is_empty = fill.is_some_and(|fill| fill.value == "\"\"");
                field.always |= is_empty && field.required == ty.known;
            }
        }
    }
}

/// Adds the values of all others to the constructors among `items`.
pub(super) fn add(items: TokenStream, merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let mut presets = Presets::default();
    for (name, structure) in merged.structs() {
        for (wire, field) in structure.stored() {
            if !field.always && !field.required.is_empty() {
                let value = value(merged, overlay, &format!("{name}.{wire}"), &field.ty)?;
                let rust_name = rust::field_name(name, wire, overlay);
                presets.values.insert((name.clone(), rust_name), value);
            }
        }
    }
    let mut file: syn::File = parsed(items)?;
    presets.visit_file_mut(&mut file);
    Ok(file.into_token_stream())
}

/// The value that fills a field in the only revision.
fn value(merged: &Merged, overlay: &Overlay, place: &str, ty: &Type) -> Result<Expr> {
    let fill = overlay.fill.at(place);
    if let (true, [revision]) = (
        fill.is_some_and(|fill| fill.value == "\"$revision\""),
        &merged.revisions[..],
    ) {
        return Ok(parse_quote!(#revision.to_owned()));
    }
    let conform = Conform {
        merged,
        overlay,
        active: BTreeSet::new(),
    };
    let method = conform.fill(place, ty)?;
    let call: ExprMethodCall = parsed(quote!(field.#method))?;
    Ok(match call.args.into_iter().next() {
        Some(Expr::Closure(closure)) => *closure.body,
        Some(Expr::Path(function)) => parse_quote!(#function()),
        Some(value) => value,
        None => parse_quote!(Default::default()),
    })
}

fn parsed<T: syn::parse::Parse>(tokens: TokenStream) -> Result<T> {
    syn::parse2(tokens).map_err(|source| Error::Syntax {
        file: "the constructors".into(),
        source,
    })
}

/// Values by struct and field.
#[derive(Default)]
struct Presets {
    values: BTreeMap<(String, String), Expr>,
    /// The type whose constructor is visited.
    of: String,
}

impl VisitMut for Presets {
    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        self.of = item.self_ty.to_token_stream().to_string();
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        let name = field.member.to_token_stream().to_string();
        let value = self.values.get(&(self.of.clone(), name));
        if let (Expr::Path(none), Some(value)) = (&field.expr, value)
            && none.path.is_ident("None")
        {
            field.expr = parse_quote!(Some(#value));
        }
    }
}
