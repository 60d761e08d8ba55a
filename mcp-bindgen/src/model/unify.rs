//! Equal types become one.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;

use super::ir::{Defs, Id, Model, Shape, Type};
use super::lower::Context;

/// Makes equal definitions one. Those that are `apart` stay types of their own.
pub(super) fn unify(model: &mut Model, apart: &HashSet<Id>) {
    let classes = classes(&model.defs, apart);
    let mut first: HashMap<usize, Id> = HashMap::new();
    let mut same: HashMap<Id, Id> = HashMap::new();
    let mut places: HashMap<Id, IndexSet<String>> = HashMap::new();
    for (id, def) in &model.defs {
        let one = *first.entry(classes[id]).or_insert(*id);
        same.insert(*id, one);
        let places = places.entry(one).or_default();
        places.extend(def.places.iter().cloned());
    }
    model.each_named(&mut |ty| rename(ty, &same));
    for (id, def) in &mut model.defs {
        def.places = places.remove(id).unwrap_or_default().into_iter().collect();
    }
}

fn rename(ty: &mut Type, to: &HashMap<Id, usize>) {
    if let Type::Named(id) = ty {
        *id = to.get(id).copied().unwrap_or(*id);
    }
}

/// Puts what aliases stand for in their place.
pub(super) fn resolve(ty: &mut Type, aliases: &HashMap<Id, Type>) {
    if let Type::Named(id) = ty
        && let Some(other) = aliases.get(id)
    {
        *ty = other.clone();
        ty.each_named(&mut |ty| resolve(ty, aliases));
    }
}

/// Turns the constant members of structs in unions into tags.
pub(super) fn separate(defs: &mut Defs, context: &Context) {
    for (id, tag) in &context.tags {
        let mut ty = Type::Named(*id);
        resolve(&mut ty, &context.aliases);
        let def = ty.id().and_then(|id| defs.get_mut(&id));
        if let Some(Shape::Struct(it)) = def.map(|def| &mut def.shape) {
            it.fields.retain(|(name, _)| *name != tag.0);
            it.tag = Some(tag.clone());
        }
    }
}

/// A number for each definition, the same for equal ones: at first all are equal, then only those whose
/// shapes are, until no class falls apart.
fn classes(defs: &Defs, apart: &HashSet<Id>) -> HashMap<Id, usize> {
    let mut classes: HashMap<Id, usize> = defs.keys().map(|id| (*id, 0)).collect();
    let mut count = 1;
    loop {
        let mut known = HashMap::new();
        let mut next = HashMap::new();
        for (id, def) in defs {
            let mut shape = def.shape.clone();
            shape.each_named(&mut |ty| rename(ty, &classes));
            let own = apart.contains(id).then_some(*id);
            let number = known.len();
            let class = *known.entry((own, &def.title, shape)).or_insert(number);
            next.insert(*id, class);
        }
        let now = known.len();
        classes = next;
        if now == count {
            return classes;
        }
        count = now;
    }
}
