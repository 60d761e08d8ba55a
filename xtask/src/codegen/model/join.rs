//! Joins types that have the same name in one revision.

use super::ir::Def;

pub(crate) fn join(a: &Def, b: &Def) -> Option<Def> {
    match (a, b) {
        (a, b) if a == b => Some(a.clone()),
        (Def::Struct(a), Def::Struct(b)) => {
            let mut out = a.clone();
            for (name, field) in &mut out.fields {
                field.required &= b.fields.get(name).is_some_and(|field| field.required);
                field.nullable |= b.fields.get(name).is_some_and(|field| field.nullable);
            }
            for (name, field) in &b.fields {
                let own = out.fields.entry(name.clone()).or_insert_with(|| {
                    let mut field = field.clone();
                    field.required = false;
                    field
                });
                if (&own.ty, own.limits) != (&field.ty, field.limits) {
                    return None;
                }
            }
            out.open |= b.open;
            Some(Def::Struct(out))
        }
        (Def::Struct(_) | Def::Union(_) | Def::Enum(_), _) => None,
    }
}
