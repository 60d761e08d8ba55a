//! Reads `#[on_start]`, `#[on_initialized]` and `#[on_shutdown]`.

use syn::spanned::Spanned as _;
use syn::{Attribute, FnArg, Meta, PatType, Type};

use crate::diagnostics::Diagnostics;
use crate::function::{self, Subject};
use crate::model::{Hook, Moment};
use crate::own_attribute::take_attribute;
use crate::signature;

/// The attributes of hooks, and when the hooks run.
pub(crate) const ATTRIBUTES: [(&str, Moment); 3] = [
    ("on_start", Moment::Start),
    ("on_initialized", Moment::Initialized),
    ("on_shutdown", Moment::Shutdown),
];

/// Reads a function with one of these attributes. Returns `None` for other functions, and for
/// functions with mistakes.
pub(crate) fn read(
    subject: &mut Subject<'_>,
    of_type: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Hook> {
    let (attribute, moment) = take(subject.attributes)?;
    let before = diagnostics.count();
    if !matches!(attribute.meta, Meta::Path(_)) {
        let what = "this attribute has no entries";
        diagnostics.mistake(&attribute.meta, what, "remove the parentheses");
    }
    let others = ATTRIBUTES.iter().map(|(name, _)| *name);
    for name in others.chain(function::names()) {
        if let Some(other) = take_attribute(subject.attributes, name) {
            let what = "a hook cannot have another role";
            let mend = "write a second function that calls this one";
            diagnostics.mistake(other.path(), what, mend);
        }
    }
    signature::check_form(subject.signature, diagnostics);
    let mut subject_span = None;
    for input in &subject.signature.inputs {
        match input {
            FnArg::Receiver(receiver) => signature::check_receiver(receiver, diagnostics),
            FnArg::Typed(typed) => {
                check_parameter(typed, moment, subject_span.is_some(), diagnostics);
                subject_span = Some(typed.ty.span());
            }
        }
    }
    let output = signature::output(subject.signature, diagnostics);
    (diagnostics.count() == before).then(|| Hook {
        output,
        moment,
        path: signature::path(&subject.signature.ident, of_type),
        has_self: subject.signature.receiver().is_some(),
        subject_span,
        conditions: signature::conditions(subject.attributes),
    })
}

fn take(attributes: &mut Vec<Attribute>) -> Option<(Attribute, Moment)> {
    ATTRIBUTES
        .into_iter()
        .find_map(|(name, moment)| Some((take_attribute(attributes, name)?, moment)))
}

fn check_parameter(
    parameter: &PatType,
    moment: Moment,
    is_second: bool,
    diagnostics: &mut Diagnostics,
) {
    let mend = match moment {
        Moment::Start => "take `&self` and `&Server`, or less",
        Moment::Initialized => "take `&self` and `&Initialized`, or less",
        Moment::Shutdown => "take `&self` alone",
    };
    if moment == Moment::Shutdown || is_second {
        let what = "no client calls this function, so there is no value for this parameter";
        diagnostics.mistake(parameter, what, mend);
    } else if !matches!(&*parameter.ty, Type::Reference(_)) {
        diagnostics.mistake(
            &parameter.ty,
            "this parameter is shared, so it is taken by `&`",
            mend,
        );
    }
}
