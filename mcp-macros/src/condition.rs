//! `#[cfg(…)]` on parameters. A macro can't evaluate it, so a function is read once for each way in
//! which its conditions may hold, and each reading is compiled under its own condition.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, FnArg, Signature, parse_quote};

use crate::docs;
use crate::own_attribute::is_setting;

/// The signature without conditions on parameters, for each way in which they may hold, and the
/// conditions of that way. In the first one all hold.
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

/// The signature without `condition`, or without the parameters that have it.
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

/// Removes from the parameters what the compiler does not understand.
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
