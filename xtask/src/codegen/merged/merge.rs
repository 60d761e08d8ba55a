//! Five models in, one out: the union of the revisions.
//!
//! Each type, field and variant remembers the revisions that have it. Where
//! revisions disagree about a field, the newer one wins, except that a wider
//! type beats a narrower one: nothing that any revision allows gets lost.

use super::type_words::span;
use crate::codegen::model::ir::{
    Def, Enum, ErrorCode, Field, Limits, Member, Method, Model, Struct, Type,
};
use crate::codegen::overlay::file::Overlay;
use std::collections::{BTreeMap, BTreeSet};

/// Indices into [`Merged::revisions`].
pub(crate) type Set = BTreeSet<usize>;

/// The one model.
#[derive(Debug)]
pub(crate) struct Merged {
    /// Oldest first.
    pub(crate) revisions: Vec<String>,
    /// Revisions in which messages may be sent in batches.
    pub(crate) batches: Set,
    pub(crate) types: BTreeMap<String, MergedType>,
    pub(crate) methods: BTreeMap<String, MergedMethod>,
    pub(crate) errors: BTreeMap<i64, (ErrorCode, Set)>,
    /// Rust names that `overlay.toml` gives, by place.
    pub(crate) identifiers: BTreeMap<String, String>,
}

/// A type of some revisions.
#[derive(Debug)]
pub(crate) struct MergedType {
    pub(crate) known: Set,
    /// Its places in the stored schemas, as JSON pointers.
    pub(crate) origins: BTreeMap<usize, String>,
    pub(crate) shape: Shape,
}

/// The kind of type.
#[derive(Debug)]
pub(crate) enum Shape {
    Struct(MergedStruct),
    Union(Vec<MergedMember>),
    Enum(MergedEnum),
}

/// The fields that any revision has.
#[derive(Debug)]
pub(crate) struct MergedStruct {
    pub(crate) fields: BTreeMap<String, MergedField>,
    /// Revisions that allow unknown fields.
    pub(crate) open: Set,
}

/// A field of some revisions.
#[derive(Debug)]
pub(crate) struct MergedField {
    pub(crate) ty: Type,
    pub(crate) known: Set,
    /// Revisions in which it is required.
    pub(crate) required: Set,
    pub(crate) nullable: bool,
    /// As in the newest revision.
    pub(crate) limits: Limits,
    /// Whether the model itself requires it.
    pub(crate) always: bool,
    /// The type in each revision.
    pub(crate) by_revision: BTreeMap<usize, Type>,
}

/// An alternative of some revisions.
#[derive(Debug)]
pub(crate) struct MergedMember {
    pub(crate) member: Member,
    pub(crate) known: Set,
}

/// The values that any revision lists.
#[derive(Debug)]
pub(crate) struct MergedEnum {
    pub(crate) values: BTreeMap<String, Set>,
    /// Revisions that allow other values.
    pub(crate) open: Set,
}

/// A message of some revisions.
#[derive(Debug)]
pub(crate) struct MergedMethod {
    /// As in the newest revision that has it.
    pub(crate) method: Method,
    pub(crate) known: Set,
    /// Revisions in which clients and servers send it.
    pub(crate) by_client: Set,
    pub(crate) by_server: Set,
    /// Revisions that require `params`.
    pub(crate) params_required: Set,
    /// Revisions in which another result may come instead.
    pub(crate) alternative: Set,
}

impl Merged {
    /// The structs by name.
    pub(crate) fn structs(&self) -> impl Iterator<Item = (&String, &MergedStruct)> {
        let names = self.types.keys();
        names.filter_map(|name| Some((name, self.structure(name)?)))
    }

    /// The struct `name`, if it is one.
    pub(crate) fn structure(&self, name: &str) -> Option<&MergedStruct> {
        match &self.types.get(name)?.shape {
            Shape::Struct(structure) => Some(structure),
            Shape::Union(_) | Shape::Enum(_) => None,
        }
    }

    /// Some of the revisions in words.
    pub(crate) fn span(&self, known: &Set) -> String {
        span(&self.revisions, known)
    }

    /// The method of a message, if its parameters may be absent.
    pub(crate) fn optional_params(&self, member: &Member) -> Option<&MergedMethod> {
        let method = self.methods.get(member.method.as_ref()?)?;
        method.may_lack_params().then_some(method)
    }

    /// The Rust name given to `place`, or else `name`.
    pub(crate) fn identifier(&self, place: &str, name: String) -> String {
        self.identifiers.get(place).cloned().unwrap_or(name)
    }
}

impl MergedMethod {
    /// Whether some revision allows the message without parameters.
    pub(crate) fn may_lack_params(&self) -> bool {
        self.params_required != self.known
    }
}

impl MergedField {
    /// Whether Rust has an `Option` for it.
    pub(crate) fn is_option(&self) -> bool {
        !self.always || self.nullable
    }

    /// The revisions in which it has such a type.
    pub(crate) fn revisions(&self, is_such: impl Fn(&Type) -> bool) -> Set {
        let types = self.by_revision.iter().filter(|(_, ty)| is_such(ty));
        types.map(|(index, _)| *index).collect()
    }
}

impl MergedStruct {
    /// The field that always has the same value, and that value.
    pub(crate) fn constant(&self) -> Option<(&str, &str)> {
        let mut fields = self.fields.iter();
        fields.find_map(|(name, field)| match &field.ty {
            Type::Constant(value) => Some((name.as_str(), value.as_str())),
            _ => None,
        })
    }

    /// The fields that are stored.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (&String, &MergedField)> {
        let fields = self.fields.iter();
        fields.filter(|(_, field)| !matches!(field.ty, Type::Constant(_)))
    }
}

/// What some of the revisions have, oldest first.
pub(super) type Answers<T> = Vec<(usize, T)>;

/// What the revisions have under each name.
pub(super) fn gather<'a, T, K: Ord, V, I: IntoIterator<Item = (K, V)>>(
    answers: &Answers<&'a T>,
    list: impl Fn(&'a T) -> I,
) -> BTreeMap<K, Answers<V>> {
    let mut all: BTreeMap<K, Answers<V>> = BTreeMap::new();
    for (index, answer) in answers {
        for (key, value) in list(answer) {
            all.entry(key).or_default().push((*index, value));
        }
    }
    all
}

/// A part of each answer that has it.
pub(super) fn parts<'a, T, U>(
    answers: &Answers<&'a T>,
    part: impl Fn(&'a T) -> Option<U>,
) -> Answers<U> {
    let parts = answers.iter();
    let parts = parts.filter_map(|(index, answer)| Some((*index, part(answer)?)));
    parts.collect()
}

/// The revisions of which something holds.
fn those<T>(answers: &Answers<&T>, holds: impl Fn(&T) -> bool) -> Set {
    let those = answers.iter().filter(|(_, answer)| holds(answer));
    those.map(|(index, _)| *index).collect()
}

/// The type that holds what all of them hold.
pub(super) fn joined(types: &Answers<&Type>) -> Option<Type> {
    let mut newest_first = types.iter().rev().map(|(_, ty)| *ty);
    let newest = newest_first.next()?.clone();
    newest_first.try_fold(newest, |newer, older| wider(&newer, older))
}

/// Joins the revisions, given oldest first.
pub(crate) fn merge(mut models: Vec<Model>, overlay: &Overlay) -> Merged {
    name_opaque(&mut models);
    let models: Answers<&Model> = models.iter().enumerate().collect();
    let types = gather(&models, |model| &model.types).into_iter();
    let types = types.filter_map(|(name, defs)| {
        let known = those(&defs, |_| true);
        let origin = |model: &Model| model.types.get(name).and(model.origins.get(name).cloned());
        let origins = parts(&models, origin).into_iter().collect();
        let shape = shape(&defs, |wire, required| {
            *required == known && overlay.fill.at(&format!("{name}.{wire}")).is_none()
        });
        let shape = shape?;
        Some((
            name.clone(),
            MergedType {
                known,
                origins,
                shape,
            },
        ))
    });
    let methods = gather(&models, |model| &model.methods).into_iter();
    let methods = methods.filter_map(|(name, all)| Some((name.clone(), method(&all)?)));
    let errors = gather(&models, |model| &model.errors).into_iter();
    let errors = errors.filter_map(|(code, all)| {
        let data = parts(&all, |error| error.data.clone()).pop();
        let name = all.last()?.1.name.clone();
        let data = data.map(|(_, data)| data);
        Some((*code, (ErrorCode { name, data }, those(&all, |_| true))))
    });
    Merged {
        revisions: models
            .iter()
            .map(|(_, model)| model.revision.clone())
            .collect(),
        batches: those(&models, |model| model.batches),
        types: types.collect(),
        methods: methods.collect(),
        errors: errors.collect(),
        identifiers: BTreeMap::new(),
    }
}

/// Where one revision has an object without known fields and another a struct,
/// the former gets a struct without fields.
fn name_opaque(models: &mut [Model]) {
    let mut named = BTreeMap::new();
    for (name, wire, field) in models.iter().flat_map(Model::fields) {
        if let Type::Named(target) = &field.ty {
            named.insert((name.clone(), wire.clone()), target.clone());
        }
    }
    for types in models.iter_mut().map(|model| &mut model.types) {
        for ((name, wire), target) in &named {
            if !types.contains_key(target)
                && let Some(Def::Struct(holder)) = types.get_mut(name)
                && let Some(field) = holder.fields.get_mut(wire)
                && let Type::Object { open } = field.ty
            {
                field.ty = Type::Named(target.clone());
                let empty = Struct {
                    open,
                    ..Struct::default()
                };
                types.insert(target.clone(), Def::Struct(empty));
            }
        }
    }
}

/// A type of the newest revision's kind; that another one has another kind was asked about.
///
/// `is_always` says of a field and the revisions that require it whether the model does.
fn shape(defs: &Answers<&Def>, is_always: impl Fn(&str, &Set) -> bool) -> Option<Shape> {
    let mut members = Vec::new();
    let mut values: BTreeMap<_, Set> = BTreeMap::new();
    for (index, def) in defs.iter().rev() {
        match def {
            Def::Struct(_) => {}
            Def::Union(def) => {
                for member in &def.members {
                    add_member(&mut members, member, *index);
                }
            }
            Def::Enum(def) => {
                for value in &def.values {
                    values.entry(value.clone()).or_default().insert(*index);
                }
            }
        }
    }
    let fields = gather(defs, |def| def.fields().into_iter().flatten()).into_iter();
    let fields = fields.filter_map(|(wire, all)| {
        let required = those(&all, |field| field.required);
        let always = is_always(wire, &required);
        Some((wire.clone(), field(&all, required, always)?))
    });
    let fields = fields.collect();
    let open = those(defs, |def| match def {
        Def::Struct(Struct { open, .. }) | Def::Enum(Enum { open, .. }) => *open,
        Def::Union(_) => false,
    });
    Some(match defs.last()?.1 {
        Def::Struct(_) => Shape::Struct(MergedStruct { fields, open }),
        Def::Union(_) => Shape::Union(members),
        Def::Enum(_) => Shape::Enum(MergedEnum { values, open }),
    })
}

fn field(all: &Answers<&Field>, required: Set, always: bool) -> Option<MergedField> {
    let types = parts(all, |field| Some(&field.ty));
    let newest = all.last()?.1;
    Some(MergedField {
        // Types that nothing joins were asked about.
        ty: joined(&types).unwrap_or_else(|| newest.ty.clone()),
        known: those(all, |_| true),
        required,
        nullable: all.iter().any(|(_, field)| field.nullable),
        limits: newest.limits,
        always,
        by_revision: parts(all, |field| Some(field.ty.clone()))
            .into_iter()
            .collect(),
    })
}

/// The type that holds what both hold; `newer` wins where that is a matter of taste.
fn wider(newer: &Type, older: &Type) -> Option<Type> {
    Some(match (newer, older) {
        (a, b) if a == b => a.clone(),
        (Type::Json { .. }, _) | (_, Type::Json { .. }) => Type::Json { object: false },
        (Type::Object { .. }, Type::Object { .. }) => Type::Object { open: true },
        (Type::Object { .. }, named @ (Type::Named(_) | Type::Map(_)))
        | (named @ (Type::Named(_) | Type::Map(_)), Type::Object { .. }) => named.clone(),
        (Type::OneOrMany(a), Type::OneOrMany(b)) => Type::OneOrMany(wider(a, b)?.into()),
        (Type::OneOrMany(a), b) | (b, Type::OneOrMany(a)) if **a == *b => {
            Type::OneOrMany(a.clone())
        }
        (Type::Number, Type::Integer { .. }) | (Type::Integer { .. }, Type::Number) => Type::Number,
        (Type::Integer { .. }, Type::Integer { .. }) => Type::Integer { signed: true },
        (Type::Nullable(a), b) => wider(a, b)?.or_null(),
        (a, Type::Nullable(b)) => wider(a, b)?.or_null(),
        (Type::List(a), Type::List(b)) => Type::List(wider(a, b)?.into()),
        (Type::Map(a), Type::Map(b)) => Type::Map(wider(a, b)?.into()),
        _ => return None,
    })
}

fn add_member(members: &mut Vec<MergedMember>, member: &Member, index: usize) {
    for known in members.iter_mut() {
        // Kinds of JSON can be joined: an integer is a number.
        let plain = known.member.ty.name().is_none() && member.ty.name().is_none();
        let joined = plain.then(|| wider(&known.member.ty, &member.ty)).flatten();
        if let Some(ty) = joined {
            known.member.ty = ty;
        } else if known.member != *member {
            continue;
        }
        known.known.insert(index);
        return;
    }
    members.push(MergedMember {
        member: member.clone(),
        known: Set::from([index]),
    });
}

fn method(all: &Answers<&Method>) -> Option<MergedMethod> {
    let mut method = all.last()?.1.clone();
    let params = parts(all, |method| method.params.clone()).pop();
    method.params = params.map(|(_, params)| params);
    Some(MergedMethod {
        method,
        known: those(all, |_| true),
        by_client: those(all, |method| method.by_client),
        by_server: those(all, |method| method.by_server),
        params_required: those(all, |method| !method.params_optional),
        alternative: those(all, |method| method.alternative.is_some()),
    })
}
