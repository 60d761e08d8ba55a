//! Reads the settings that only resources have.

use syn::{Attribute, Expr, ExprLit, Lit};

use crate::argument::Helpers;
use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::function::Subject;
use crate::grammar::URI;
use crate::model::{Resource, Uri};
use crate::{cache, expand};

/// Reads the settings that only resources have. Returns `None` without a URI.
pub(crate) fn read(
    entries: &mut Entries,
    attribute: &Attribute,
    subject: &Subject<'_>,
    helpers: &Helpers,
    diagnostics: &mut Diagnostics,
) -> Option<Resource> {
    let before = diagnostics.count();
    let uri = uri(entries, diagnostics);
    let builder = expand::uri_builder(&subject.signature.ident);
    let mime = entries.expr("mime", diagnostics);
    let size = entries.expr("size", diagnostics);
    let annotations = entries.expr("annotations", diagnostics);
    let cache = cache::read(entries, diagnostics);
    let list = entries.path("list", diagnostics);
    let subscribe = entries.flag("subscribe", diagnostics).unwrap_or(false);
    if uri.is_none() && diagnostics.count() == before {
        diagnostics.mistake(
            attribute.path(),
            "a resource is found by its URI, and this one has no URI",
            "write `#[resource(\"scheme://path/{variable}\")]`",
        );
    }
    Some(Resource {
        uri: uri?,
        builder: (!helpers.contains(&builder)).then(|| subject.visibility.clone()),
        mime,
        size,
        annotations,
        cache,
        list: list.map(|path| helpers.find_taking(path, "`list`", &[], diagnostics)),
        subscribe,
    })
}

/// Takes the URI: a string literal, or the path of a constant.
fn uri(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<Uri> {
    match entries.expr(URI, diagnostics)? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(Uri::Text(text)),
        Expr::Path(path) => Some(Uri::Constant(path.path)),
        other => {
            diagnostics.mistake(
                other,
                "the URI is a string literal, or the path of a constant",
                "write `#[resource(\"scheme://path/{variable}\")]`",
            );
            None
        }
    }
}
