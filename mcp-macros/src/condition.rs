//! Supports `#[cfg(…)]` on parameters.
//!
//! A macro can't evaluate conditions. So a function is read once for each combination of true and
//! false conditions, and each reading is compiled under a `#[cfg]` of its own.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, FnArg, Signature, parse_quote};

use crate::docs;
use crate::own_attribute::is_setting;

/// One signature without conditions for each combination of true and false conditions, and the
/// attributes that select it. In the first signature all conditions are true.
pub(crate) fn variants(signature: &Signature) -> Vec<(Signature, Vec<Attribute>)> {
    let mut attributes = signature.inputs.iter().flat_map(|input| match input {
        FnArg::Receiver(receiver) => &receiver.attrs,
        FnArg::Typed(typed) => &typed.attrs,
    });
    let condition = attributes.find(|attribute| attribute.path().is_ident("cfg"));
    let predicate = condition.map(Attribute::parse_args::<TokenStream>);
    let (Some(condition), Some(Ok(predicate))) = (condition, predicate) else {
        return vec![(signature.clone(), Vec::new())];
    };
    let opposite = parse_quote!(#[cfg(not(#predicate))]);
    let sides = [(true, condition), (false, &opposite)];
    let variants = sides.into_iter().flat_map(|(holds, side)| {
        let mut variants = variants(&without(signature.clone(), condition, !holds));
        let conditions = variants.iter_mut().map(|(_, conditions)| conditions);
        conditions.for_each(|conditions| conditions.push(side.clone()));
        variants
    });
    variants.collect()
}

/// Removes `condition` from the parameters that have it, or removes these parameters if
/// `parameters` is set.
fn without(mut signature: Signature, condition: &Attribute, parameters: bool) -> Signature {
    let condition = condition.to_token_stream().to_string();
    let is_condition = |it: &Attribute| it.to_token_stream().to_string() == condition;
    let inputs = std::mem::take(&mut signature.inputs).into_iter();
    let inputs = inputs.filter_map(|mut input| {
        let attributes = attributes(&mut input);
        let has_condition = attributes.iter().any(is_condition);
        attributes.retain(|it| !is_condition(it));
        (!has_condition || !parameters).then_some(input)
    });
    signature.inputs = inputs.collect();
    signature
}

/// Removes our attributes and doc comments from the parameters, because rustc rejects them there.
pub(crate) fn strip(signature: &mut Signature) {
    for input in &mut signature.inputs {
        attributes(input).retain(|it| !is_setting(it) && !docs::is_doc(it));
    }
}

fn attributes(input: &mut FnArg) -> &mut Vec<Attribute> {
    match input {
        FnArg::Receiver(receiver) => &mut receiver.attrs,
        FnArg::Typed(typed) => &mut typed.attrs,
    }
}
