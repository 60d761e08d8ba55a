//! Two places of one revision with one type.

use super::ir::Def;

/// Two inline types with one name, as one type.
pub(crate) fn join(a: Def, b: Def) -> Option<Def> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (Def::Struct(mut a), Def::Struct(b)) => {
            for (name, field) in &mut a.fields {
                field.required &= b.fields.get(name).is_some_and(|field| field.required);
            }
            for (name, mut field) in b.fields {
                let same = a.fields.get(&name).is_none_or(|own| own.ty == field.ty);
                if !same {
                    return None;
                }
                field.required = false;
                a.fields.entry(name).or_insert(field);
            }
            a.open |= b.open;
            Some(Def::Struct(a))
        }
        _ => None,
    }
}
