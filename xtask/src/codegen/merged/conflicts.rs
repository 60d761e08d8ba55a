//! Places where the revisions disagree and no rule of [`super::merge`] joins them.

use super::merge::wider;
use super::type_words::{by_revision, place_of};
use crate::codegen::model::ir::{Def, Field, Method, Model, Type};
use crate::codegen::model::names::pascal;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::Rename;
use crate::codegen::overlay::proposal::Proposal;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// Asks about each conflict between the revisions, given oldest first.
pub(crate) fn ask(models: &[Model], overlay: &Overlay) {
    let revisions: Vec<_> = models.iter().map(|model| model.revision.clone()).collect();
    let conflicts = Conflicts {
        models,
        overlay,
        revisions,
    };
    conflicts.kinds();
    conflicts.fields();
    conflicts.members();
    conflicts.errors();
    conflicts.methods();
    conflicts.unreached();
}

struct Conflicts<'a> {
    models: &'a [Model],
    overlay: &'a Overlay,
    revisions: Vec<String>,
}

/// By revision, oldest first.
type Answers<T> = Vec<(usize, T)>;

impl<'a> Conflicts<'a> {
    /// What the revisions have under each name.
    fn gather<K: Ord, V, I: Iterator<Item = (K, V)>>(
        &self,
        list: impl Fn(&'a Model) -> I,
    ) -> BTreeMap<K, Answers<V>> {
        let mut all: BTreeMap<K, Answers<V>> = BTreeMap::new();
        for (index, model) in self.models.iter().enumerate() {
            for (key, value) in list(model) {
                all.entry(key).or_default().push((index, value));
            }
        }
        all
    }

    fn ask<T: Display>(&self, place: &str, what: &Answers<T>, entry: impl Into<String>) {
        let what = by_revision(&self.revisions, what);
        self.overlay.decisions.ask(place, what, entry);
    }

    /// Definitions that no message reaches.
    fn unreached(&self) {
        let gone = "no message reaches it";
        for (name, known) in self.gather(|model| model.unreached.iter().map(|name| (name, gone))) {
            if self.overlay.drop.find(name).is_none() {
                let entry = Proposal::of("keep]] # or [[drop")
                    .with("name", &**name)
                    .reason();
                self.ask(name, &known, entry);
            }
        }
    }

    /// Types that are an object in one revision and a choice in another.
    fn kinds(&self) {
        for (name, defs) in self.gather(|model| model.types.iter()) {
            let kinds = parts(&defs, |def| Some(def.kind()));
            self.names(name, &kinds, |index, _, _| {
                self.rename(index, name, &format!("Legacy{name}"))
            });
        }
    }

    /// Asks about `place` if the newest answer is not that of all; `entry` settles another one.
    fn names<T: Display + PartialEq>(
        &self,
        place: &str,
        answers: &Answers<T>,
        entry: impl Fn(usize, &T, &T) -> String,
    ) {
        let Some((_, newest)) = answers.last() else {
            return;
        };
        let others = answers.iter().filter(|(_, answer)| answer != newest);
        let entries = others.map(|(index, answer)| entry(*index, answer, newest));
        let entries: String = entries.collect();
        if !entries.is_empty() {
            self.ask(place, answers, entries);
        }
    }

    /// The entry that gives a revision's type another name; an inline one becomes any JSON.
    fn rename(&self, index: usize, name: &str, to: &str) -> String {
        let model = &self.models[index];
        let origin = model.origins.get(name).map_or(name, String::as_str);
        match place_of(origin, model.origins.iter()) {
            Some(place) => raw(&place),
            None => {
                let (revision, from) = (&model.revision, origin.trim_start_matches("/$defs/"));
                let entry = Proposal::of("rename").with("revision", &**revision);
                entry.with("from", from).with("to", to).reason()
            }
        }
    }

    /// Fields whose types have nothing in common.
    fn fields(&self) {
        let fields = self.gather(|model| {
            let fields = model.fields();
            fields.map(|(name, wire, field)| (format!("{name}.{wire}"), &field.ty))
        });
        for (place, types) in fields {
            if joined(&types).is_none() {
                self.ask(&place, &types, self.one_type(&place, &types));
            }
        }
    }

    /// The entry that gives the field at `place` one type.
    fn one_type(&self, place: &str, types: &Answers<&Type>) -> String {
        let items = parts(types, |ty| match ty {
            Type::List(item) => Some(&**item),
            _ => None,
        });
        if items.len() == types.len() {
            return self.one_type(&format!("{place}[]"), &items);
        }
        let mut name = place.split('.').map(pascal).collect::<String>();
        let mut values = BTreeSet::new();
        for (index, ty) in types {
            match ty {
                Type::Text => {}
                Type::Constant(value) => values.extend([value]),
                Type::Named(other) => match self.models[*index].types.get(other) {
                    Some(Def::Enum(def)) => {
                        name.clone_from(other);
                        values.extend(&def.values);
                    }
                    _ => return raw(place),
                },
                _ => return raw(place),
            }
        }
        let values: Vec<_> = values.into_iter().cloned().collect();
        let entry = Proposal::of("values").with("at", place).with("name", name);
        entry.with("values", values).reason()
    }

    /// Members of a union that look like one which a newer revision calls something else.
    ///
    /// A renaming to the same name says that they are two.
    fn members(&self) {
        let unions = self.gather(|model| {
            let types = model.types.iter();
            types.filter_map(|(name, def)| match def {
                Def::Union(def) => Some((name, def)),
                _ => None,
            })
        });
        for (union, defs) in unions {
            let mut members: BTreeMap<&str, Answers<&str>> = BTreeMap::new();
            for (index, def) in defs {
                for name in def.members.iter().filter_map(|member| member.ty.name()) {
                    members.entry(name).or_default().push((index, name));
                }
            }
            for (name, old) in &members {
                let is_settled = |entry: &Rename| entry.from == *name && entry.to == *name;
                let is_settled = self.overlay.rename.has(is_settled);
                let newer = members.iter().filter(|(_, new)| self.is_same(old, new));
                for (new_name, new) in newer.filter(|_| !is_settled) {
                    let both = old.iter().chain(new).copied().collect();
                    let entries = old.iter();
                    let entries = entries.map(|(index, name)| self.rename(*index, name, new_name));
                    self.ask(union, &both, entries.collect::<String>());
                }
            }
        }
    }

    /// Whether a struct that is gone has all its fields in one that came later.
    fn is_same(&self, old: &Answers<&str>, new: &Answers<&str>) -> bool {
        let (Some(old), Some(new)) = (old.last(), new.first()) else {
            return false;
        };
        let fields = |(index, name): &(usize, &str)| self.models[*index].types.get(*name)?.fields();
        let (Some(own), Some(others)) = (fields(old), fields(new)) else {
            return false;
        };
        let has = |wire, own: &Field| others.get(wire).is_some_and(|other| other.ty == own.ty);
        old.0 < new.0 && !own.is_empty() && own.iter().all(|(wire, own)| has(wire, own))
    }

    /// Error codes with another name, and those that are JSON-RPC's own.
    fn errors(&self) {
        for (code, errors) in self.gather(|model| model.errors.iter()) {
            let names = parts(&errors, |error| Some(format!("{}Error", error.name)));
            let place = format!("error {code}");
            if let (-32700 | -32603..=-32600, Some((_, name))) = (code, names.last()) {
                let entry = Proposal::of("support")
                    .with("name", &**name)
                    .with("as", "type")
                    .with("reason", "a code of JSON-RPC itself")
                    .text();
                self.ask(&place, &names, entry);
            } else {
                self.names(&place, &names, |index, own, newest| {
                    self.rename(index, own, newest)
                });
            }
        }
    }

    /// Methods that change their kind, or whose params or results have another name.
    fn methods(&self) {
        for (name, methods) in self.gather(|model| model.methods.iter()) {
            let kinds = |method: &&Method| Some(format!("answered: {}", method.request));
            self.names(name, &parts(&methods, kinds), |_, _, _| {
                Proposal::of("result").with("method", &**name).reason()
            });
            let params = parts(&methods, |method| method.params.as_deref());
            let results = parts(&methods, |method| method.result.as_deref());
            for names in [params, results] {
                self.names(name, &names, |index, own, newest| {
                    self.rename(index, own, newest)
                });
            }
        }
    }
}

/// A part of each answer that has it.
fn parts<'a, T, U>(answers: &Answers<&'a T>, part: impl Fn(&&'a T) -> Option<U>) -> Answers<U> {
    let parts = answers.iter();
    let parts = parts.map(|(index, answer)| Some((*index, part(answer)?)));
    parts.flatten().collect()
}

/// The type that holds what all of them hold.
fn joined(types: &Answers<&Type>) -> Option<Type> {
    let mut newest_first = types.iter().rev().map(|(_, ty)| *ty);
    let newest = newest_first.next()?.clone();
    newest_first.try_fold(newest, |newer, older| wider(&newer, older))
}

fn raw(place: &str) -> String {
    Proposal::of("raw").with("at", place).reason()
}
