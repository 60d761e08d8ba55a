//! Merges equal types.

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};

use super::ir::{Defs, Id, Model, Shape, Type};
use super::lower::Context;

/// Merges equal definitions, except for the definitions in `apart`.
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

/// Assigns a class to each definition. Equal definitions have the same class.
///
/// At first, all definitions are in one class. If members of a class differ, the largest group of
/// equal members stays, and each other group becomes a new class. Only definitions that use a moved
/// definition are compared again, so the time is about linear.
fn classes(defs: &Defs, apart: &HashSet<Id>) -> HashMap<Id, usize> {
    let mut users: HashMap<Id, Vec<Id>> = HashMap::new();
    for (id, def) in defs {
        def.shape.clone().each_named(&mut |ty| {
            let of_part = users.entry(ty.id().unwrap_or_default()).or_default();
            of_part.push(*id);
        });
    }
    let mut classes: HashMap<Id, usize> = defs.keys().map(|id| (*id, 0)).collect();
    let mut sizes = vec![defs.len()];
    let mut open: IndexSet<Id> = defs.keys().copied().collect();
    while !open.is_empty() {
        let mut groups: IndexMap<_, Vec<Id>> = IndexMap::new();
        // For each class, the number of members that are not compared this time. These members
        // still equal each other, but none of the compared members.
        let mut rest: HashMap<usize, usize> = HashMap::new();
        for id in open.drain(..) {
            let def = &defs[&id];
            let class = classes[&id];
            let mut shape = def.shape.clone();
            shape.each_named(&mut |ty| rename(ty, &classes));
            let own = apart.contains(&id).then_some(id);
            let group = groups.entry((class, own, &def.title, shape));
            group.or_default().push(id);
            *rest.entry(class).or_insert(sizes[class]) -= 1;
        }
        groups.sort_by(|_, a, _, b| b.len().cmp(&a.len()));
        for ((class, ..), ids) in groups {
            if rest.insert(class, 1) == Some(0) {
                continue;
            }
            sizes[class] -= ids.len();
            for id in &ids {
                classes.insert(*id, sizes.len());
                open.extend(users.get(id).into_iter().flatten());
            }
            sizes.push(ids.len());
        }
    }
    classes
}
