//! Types as they are written: a macro sees their names only.

use proc_macro2::Ident;
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeReference};

/// The type without the invisible groups and parentheses around it.
pub(crate) fn plain(kind: &Type) -> &Type {
    match kind {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        other => other,
    }
}

/// The name of a type, without its path and what stands in angle brackets.
pub(crate) fn name(kind: &Type) -> Option<&Ident> {
    Some(&last(kind)?.ident)
}

/// The type in an `Option`.
pub(crate) fn optional(kind: &Type) -> Option<&Type> {
    let last = last(kind).filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(inside) = &last.arguments else {
        return None;
    };
    match inside.args.first()? {
        GenericArgument::Type(kind) => Some(kind),
        _ => None,
    }
}

/// The reference in an `Option` of one.
pub(crate) fn optional_reference(kind: &Type) -> Option<&TypeReference> {
    match optional(kind)? {
        Type::Reference(reference) => Some(reference),
        _ => None,
    }
}

fn last(kind: &Type) -> Option<&PathSegment> {
    match plain(kind) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}
