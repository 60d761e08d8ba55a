//! Merges the models of all revisions into one.
//!
//! Each type, field and variant records the revisions that have it. If revisions disagree about a
//! field, the newer one wins, unless an older type is wider: the merged model can hold all values that
//! any revision allows.

use super::type_words::span;
use crate::codegen::model::ir::{
    Def, ErrorCode, Field, Limits, Member, Method, Model, Struct, Type,
};
use crate::codegen::overlay::file::Overlay;
use std::collections::{BTreeMap, BTreeSet};

/// Indices into [`Merged::revisions`].
pub(crate) type Set = BTreeSet<usize>;

#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// Oldest first.
    pub(crate) revisions: Vec<String>,
    /// Revisions in which messages may be sent in batches.
    pub(crate) batches: Set,
    pub(crate) types: BTreeMap<String, MergedType>,
    pub(crate) methods: BTreeMap<String, MergedMethod>,
    pub(crate) errors: BTreeMap<i64, (ErrorCode, Set)>,
    /// Rust names given by `overlay.toml`, by place.
    pub(crate) identifiers: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(crate) struct MergedType {
    pub(crate) known: Set,
    /// Places in the stored schemas, as JSON pointers.
    pub(crate) origins: BTreeMap<usize, String>,
    pub(crate) shape: Shape,
}

#[derive(Debug)]
pub(crate) enum Shape {
    Struct(MergedStruct),
    Union(Vec<MergedMember>),
    Enum(MergedEnum),
}

/// The fields of all revisions.
#[derive(Debug, Default)]
pub(crate) struct MergedStruct {
    pub(crate) fields: BTreeMap<String, MergedField>,
    /// Revisions that allow unknown fields.
    pub(crate) open: Set,
}

#[derive(Debug)]
pub(crate) struct MergedField {
    pub(crate) ty: Type,
    pub(crate) known: Set,
    /// Revisions that require the field.
    pub(crate) required: Set,
    pub(crate) nullable: bool,
    /// The limits in the newest revision.
    pub(crate) limits: Limits,
    /// True if the merged model requires the field.
    pub(crate) always: bool,
    pub(crate) by_revision: BTreeMap<usize, Type>,
}

#[derive(Debug)]
pub(crate) struct MergedMember {
    pub(crate) member: Member,
    pub(crate) known: Set,
}

/// The values of all revisions.
#[derive(Debug, Default)]
pub(crate) struct MergedEnum {
    pub(crate) values: BTreeMap<String, Set>,
    /// Revisions that allow other values.
    pub(crate) open: Set,
}

#[derive(Debug, Default)]
pub(crate) struct MergedMethod {
    /// The method in the newest revision that has it.
    pub(crate) method: Method,
    pub(crate) known: Set,
    /// Revisions in which clients may send the message.
    pub(crate) by_client: Set,
    pub(crate) by_server: Set,
    /// Revisions that require `params`.
    pub(crate) params_required: Set,
    /// Revisions in which an alternative result is possible.
    pub(crate) alternative: Set,
}

impl Merged {
    pub(crate) fn structs(&self) -> impl Iterator<Item = (&String, &MergedStruct)> {
        let names = self.types.keys();
        names.filter_map(|name| Some((name, self.structure(name)?)))
    }

    pub(crate) fn structure(&self, name: &str) -> Option<&MergedStruct> {
        match &self.types.get(name)?.shape {
            Shape::Struct(structure) => Some(structure),
            Shape::Union(_) | Shape::Enum(_) => None,
        }
    }

    pub(crate) fn field(&self, name: &str, wire: &str) -> Option<&MergedField> {
        self.structure(name)?.fields.get(wire)
    }

    pub(crate) fn span(&self, known: &Set) -> String {
        span(&self.revisions, known)
    }

    /// Returns the method of a message whose parameters are optional.
    pub(crate) fn optional_params(&self, member: &Member) -> Option<&MergedMethod> {
        let method = self.methods.get(member.method.as_ref()?)?;
        method.may_lack_params().then_some(method)
    }

    /// Returns the Rust name that an entry gives to `place`, or else `name`.
    pub(crate) fn identifier(&self, place: &str, name: String) -> String {
        self.identifiers.get(place).cloned().unwrap_or(name)
    }
}

impl MergedMethod {
    pub(crate) fn may_lack_params(&self) -> bool {
        self.params_required != self.known
    }
}

impl MergedField {
    pub(crate) fn is_option(&self) -> bool {
        !self.always || self.nullable
    }

    /// Returns the revisions in which the type of the field satisfies `is_such`.
    pub(crate) fn revisions(&self, is_such: impl Fn(&Type) -> bool) -> Set {
        let types = self.by_revision.iter().filter(|(_, ty)| is_such(ty));
        types.map(|(index, _)| *index).collect()
    }
}

impl MergedStruct {
    /// Returns the field that always has the same value, and the value.
    pub(crate) fn constant(&self) -> Option<(&str, &str)> {
        let mut fields = self.fields.iter();
        fields.find_map(|(name, field)| match &field.ty {
            Type::Constant(value) => Some((name.as_str(), value.as_str())),
            _ => None,
        })
    }

    /// Returns the fields of the Rust struct, without constants.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (&String, &MergedField)> {
        let fields = self.fields.iter();
        fields.filter(|(_, field)| !matches!(field.ty, Type::Constant(_)))
    }

    pub(crate) fn required(&self) -> impl Iterator<Item = (&String, &MergedField)> {
        self.stored().filter(|(_, field)| field.always)
    }
}

/// Merges the models, which are sorted from the oldest to the newest revision.
pub(crate) fn merge(mut models: Vec<Model>, overlay: &Overlay) -> Merged {
    name_opaque(&mut models);
    let mut merged = Merged {
        revisions: models.iter().map(|model| model.revision.clone()).collect(),
        ..Merged::default()
    };
    for (index, model) in models.iter().enumerate().rev() {
        merged.batches.extend(model.batches.then_some(index));
        for (name, def) in &model.types {
            let ty = add_type(&mut merged, name, def, index);
            let origin = model.origins.get(name);
            ty.origins
                .extend(origin.map(|origin| (index, origin.clone())));
        }
        for (name, method) in &model.methods {
            add_method(&mut merged, name, method, index);
        }
        for (code, error) in &model.errors {
            let entry = merged.errors.entry(*code);
            let (joined, known) = entry.or_insert_with(|| (error.clone(), Set::new()));
            joined.data = joined.data.take().or_else(|| error.data.clone());
            known.insert(index);
        }
    }
    for (name, ty) in &mut merged.types {
        if let Shape::Struct(structure) = &mut ty.shape {
            for (field, entry) in &mut structure.fields {
                let filled = || overlay.fill.at(&format!("{name}.{field}")).is_some();
                entry.always = entry.required == ty.known && !filled();
            }
        }
    }
    merged
}

/// Replaces objects without known fields by structs without fields, if another revision has a struct
/// there.
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

fn add_type<'a>(merged: &'a mut Merged, name: &str, def: &Def, index: usize) -> &'a mut MergedType {
    let entry = merged
        .types
        .entry(name.to_owned())
        .or_insert_with(|| MergedType {
            known: Set::new(),
            origins: BTreeMap::new(),
            shape: match def {
                Def::Struct(_) => Shape::Struct(MergedStruct::default()),
                Def::Union(_) => Shape::Union(Vec::new()),
                Def::Enum(_) => Shape::Enum(MergedEnum::default()),
            },
        });
    entry.known.insert(index);
    match (&mut entry.shape, def) {
        (Shape::Struct(merged), Def::Struct(def)) => {
            merged.open.extend(def.open.then_some(index));
            for (field, entry) in &def.fields {
                add_field(merged, field, entry, index);
            }
        }
        (Shape::Union(members), Def::Union(def)) => {
            for member in &def.members {
                add_member(members, member, index);
            }
        }
        (Shape::Enum(merged), Def::Enum(def)) => {
            merged.open.extend(def.open.then_some(index));
            for value in &def.values {
                let known = merged.values.entry(value.clone()).or_default();
                known.insert(index);
            }
        }
        // A question was asked about types of different kinds.
        _ => {}
    }
    entry
}

fn add_field(merged: &mut MergedStruct, field: &str, entry: &Field, index: usize) {
    let slot = merged
        .fields
        .entry(field.to_owned())
        .or_insert_with(|| MergedField {
            ty: entry.ty.clone(),
            known: Set::new(),
            required: Set::new(),
            nullable: false,
            limits: entry.limits,
            always: false,
            by_revision: BTreeMap::new(),
        });
    if let Some(ty) = wider(&slot.ty, &entry.ty) {
        slot.ty = ty;
    }
    slot.known.insert(index);
    slot.nullable |= entry.nullable;
    slot.by_revision.insert(index, entry.ty.clone());
    slot.required.extend(entry.required.then_some(index));
}

/// Returns the type that can hold the values of both types; `newer` if both types can.
pub(crate) fn wider(newer: &Type, older: &Type) -> Option<Type> {
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
        // JSON types can be joined: an integer is a number.
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

fn add_method(merged: &mut Merged, name: &str, method: &Method, index: usize) {
    let entry = merged
        .methods
        .entry(name.to_owned())
        .or_insert_with(|| MergedMethod {
            method: method.clone(),
            ..MergedMethod::default()
        });
    entry.known.insert(index);
    let index = |mark: bool| mark.then_some(index);
    entry.by_client.extend(index(method.by_client));
    entry.by_server.extend(index(method.by_server));
    entry.params_required.extend(index(!method.params_optional));
    entry
        .alternative
        .extend(index(method.alternative.is_some()));
}
