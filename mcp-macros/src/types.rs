//! Inspects types by their names, because a macro can't resolve them.

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

/// The name of a type, without its path and generic arguments.
pub(crate) fn name(kind: &Type) -> Option<&Ident> {
    Some(&last(kind)?.ident)
}

/// Types of the standard library that are never, or not always, objects in JSON.
const NOT_OBJECTS: [&str; 24] = [
    "BTreeSet", "HashSet", "Option", "PathBuf", "String", "Vec", "VecDeque", "bool", "char", "f32",
    "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8",
    "usize",
];

/// Whether the type may be a struct. The answer is true for all unknown names.
pub(crate) fn may_be_object(kind: &Type) -> bool {
    match plain(kind) {
        Type::Array(_) | Type::Tuple(_) => false,
        kind => name(kind).is_none_or(|name| NOT_OBJECTS.iter().all(|other| name != other)),
    }
}

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
