//! Equal types become one, and references lead to it.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::ir::{Def, Id, Shape, Type};
use super::lower::Context;

/// Resolves aliases, makes equal definitions one, and drops those that no root reaches. The arguments of
/// tools, `apart`, stay types of their own.
pub(super) fn unify(context: &mut Context, roots: &mut [&mut Type], apart: &HashSet<Id>) {
    resolve(context, roots);
    without_tags(context);
    let defs = &mut context.defs;
    let classes = classes(defs, apart);
    let mut first: HashMap<usize, Id> = HashMap::new();
    let mut same: HashMap<Id, Id> = HashMap::new();
    for id in defs.keys() {
        same.insert(*id, *first.entry(classes[id]).or_insert(*id));
    }
    let to = |id: Id| same.get(&id).copied().unwrap_or(id);
    for root in roots.iter_mut() {
        root.rename(&to);
    }
    for def in defs.values_mut() {
        def.shape
            .types_mut()
            .into_iter()
            .for_each(|ty| ty.rename(&to));
    }
    let reached = reached(defs, roots.iter().map(|root| &**root));
    let mut places: HashMap<Id, Vec<String>> = HashMap::new();
    for (id, def) in defs.iter() {
        places
            .entry(same[id])
            .or_default()
            .extend(def.places.iter().cloned());
    }
    defs.retain(|id, _| reached.contains(id));
    for (id, def) in defs {
        def.places = places.remove(id).unwrap_or_default();
        let mut known = HashSet::new();
        def.places.retain(|place| known.insert(place.clone()));
    }
}

/// The definitions that can be reached from `roots`.
pub(crate) fn reached<'a>(
    defs: &IndexMap<Id, Def>,
    roots: impl IntoIterator<Item = &'a Type>,
) -> HashSet<Id> {
    let mut open = Vec::new();
    for root in roots {
        root.each_named(&mut |id| open.push(id));
    }
    let mut reached = HashSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            let types = defs.get(&id).map(|def| def.shape.types());
            for ty in types.into_iter().flatten() {
                ty.each_named(&mut |id| open.push(id));
            }
        }
    }
    reached
}

/// Puts what aliases stand for in their place.
fn resolve(context: &mut Context, roots: &mut [&mut Type]) {
    let aliases = context
        .defs
        .iter()
        .filter_map(|(id, def)| match &def.shape {
            Shape::Alias(ty) => Some((*id, ty.clone())),
            _ => None,
        });
    let aliases: HashMap<Id, Type> = aliases.collect();
    context.defs.retain(|id, _| !aliases.contains_key(id));
    for root in roots.iter_mut() {
        replace(root, &aliases, 0);
    }
    for def in context.defs.values_mut() {
        for ty in def.shape.types_mut() {
            replace(ty, &aliases, 0);
        }
    }
    let tags = std::mem::take(&mut context.tags).into_iter();
    let tags = tags.map(|(id, tag)| {
        let mut ty = Type::Named(id);
        replace(&mut ty, &aliases, 0);
        (if let Type::Named(id) = ty { id } else { id }, tag)
    });
    context.tags = tags.collect();
}

/// An alias that leads to itself is JSON.
fn replace(ty: &mut Type, aliases: &HashMap<Id, Type>, steps: usize) {
    if let Type::Named(id) = ty
        && let Some(other) = aliases.get(id)
    {
        *ty = match steps > aliases.len() {
            true => Type::Json,
            false => other.clone(),
        };
        replace(ty, aliases, steps + 1);
        return;
    }
    for inner in ty.inner_mut() {
        replace(inner, aliases, steps);
    }
    if let Type::Nullable(inner) = ty
        && matches!(**inner, Type::Nullable(_) | Type::Json | Type::Null)
    {
        *ty = (**inner).clone();
    }
}

/// Turns the constant members of structs in unions into tags.
fn without_tags(context: &mut Context) {
    for (id, tag) in &context.tags {
        if let Some(Def {
            shape: Shape::Struct(it),
            ..
        }) = context.defs.get_mut(id)
        {
            it.fields.retain(|(name, _)| *name != tag.0);
            it.tag = Some(tag.clone());
        }
    }
}

/// A number for each definition, the same for equal ones: at first all are equal, then only those whose
/// shapes are, until no class falls apart.
fn classes(defs: &IndexMap<Id, Def>, apart: &HashSet<Id>) -> HashMap<Id, usize> {
    let mut classes: HashMap<Id, usize> = defs.keys().map(|id| (*id, 0)).collect();
    let mut count = 1;
    loop {
        let mut known = HashMap::new();
        let mut next = HashMap::new();
        for (id, def) in defs {
            let mut shape = def.shape.clone();
            let to = |id: Id| classes.get(&id).copied().unwrap_or(id);
            shape.types_mut().into_iter().for_each(|ty| ty.rename(&to));
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
