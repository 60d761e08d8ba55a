//! `#[resource]`: what is said of a resource only.

use syn::Attribute;

use crate::argument::Helpers;
use crate::attribute::Entries;
use crate::cache;
use crate::diagnostics::Diagnostics;
use crate::grammar::URI;
use crate::model::Resource;

/// Reads what only resources have; `None` without a URI.
pub(crate) fn read(
    entries: &mut Entries,
    attribute: &Attribute,
    helpers: &Helpers,
    diagnostics: &mut Diagnostics,
) -> Option<Resource> {
    let before = diagnostics.count();
    let uri = entries.literal(URI, diagnostics);
    let mime = entries.expr("mime", diagnostics);
    let size = entries.expr("size", diagnostics);
    let annotations = entries.expr("annotations", diagnostics);
    let cache = cache::read(entries, diagnostics);
    let list = entries.path("list", diagnostics);
    let subscribe = entries.flag("subscribe", diagnostics).unwrap_or(false);
    if uri.is_none() && diagnostics.count() == before {
        diagnostics.mistake(
            attribute.path(),
            "a resource is found by its URI, and this has none",
            "write `#[resource(\"scheme://path/{variable}\")]`",
        );
    }
    Some(Resource {
        uri: uri?,
        mime,
        size,
        annotations,
        cache,
        list: list.map(|path| helpers.find(path)),
        subscribe,
    })
}
