//! Questions about conflicts between revisions that no rule of [`super::merge`] resolves.

use super::merge::wider;
use super::places::{definition, place_of};
use super::type_words::by_revision;
use crate::codegen::model::ir::{Def, Field, Method, Model, Type};
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::Rename;
use crate::codegen::overlay::proposal::{Proposal, entry};
use mcp_bindgen::code::names::pascal;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// Asks about each conflict between the revisions, given oldest first.
pub(crate) fn ask(models: &[Model], overlay: &Overlay) {
    let conflicts = Conflicts {
        models: models.iter().enumerate().collect(),
        revisions: models.iter().map(|model| model.revision.clone()).collect(),
        overlay,
    };
    conflicts.kinds();
    conflicts.fields();
    conflicts.members();
    conflicts.errors();
    conflicts.methods();
    conflicts.unreached();
}

/// Values of some of the revisions, oldest first.
type Answers<T> = Vec<(usize, T)>;

struct Conflicts<'a> {
    models: Answers<&'a Model>,
    revisions: Vec<String>,
    overlay: &'a Overlay,
}

impl<'a> Conflicts<'a> {
    fn ask<T: Display>(&self, place: &str, what: &Answers<T>, entry: impl Into<String>) {
        let what = by_revision(&self.revisions, what);
        self.overlay.decisions.ask(place, what, entry);
    }

    /// Asks about definitions that no message reaches.
    fn unreached(&self) {
        let gone = "no message reaches it";
        let unreached = |model: &'a Model| model.unreached.iter().map(|name| (name, gone));
        for (name, known) in gather(&self.models, unreached) {
            if self.overlay.drop.find(name).is_none() {
                self.ask(name, &known, entry("keep]] # or [[drop", [("name", name)]));
            }
        }
    }

    /// Asks about types that are an object in one revision and a choice in another.
    fn kinds(&self) {
        for (name, defs) in gather(&self.models, |model| &model.types) {
            let kinds = parts(&defs, |def| Some(def.kind()));
            self.differing(name, &kinds, |index, _, _| {
                self.rename(index, name, &format!("Legacy{name}"))
            });
        }
    }

    /// Asks about `place` if an answer differs from the newest one. `entry` returns an entry that settles
    /// a different answer.
    fn differing<T: Display + PartialEq>(
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

    /// Asks about `place` if some revisions have another name there than the newest one.
    fn names(&self, place: &str, names: &Answers<String>) {
        self.differing(place, names, |index, own, newest| {
            self.rename(index, own, newest)
        });
    }

    /// Returns an entry that renames a revision's type, or turns an inline type into any JSON.
    fn rename(&self, index: usize, name: &str, to: &str) -> String {
        let (_, model) = self.models[index];
        let origin = model.origins.get(name).map_or(name, String::as_str);
        match place_of(origin, model.origins.iter()) {
            Some(place) => entry("raw", [("at", &place)]),
            None => {
                let revision = &model.revision;
                let from = &definition(origin);
                let members = [("revision", &**revision), ("from", from), ("to", to)];
                entry("rename", members)
            }
        }
    }

    fn def(&self, index: usize, name: &str) -> Option<&'a Def> {
        self.models[index].1.types.get(name)
    }

    /// Asks about fields whose types have nothing in common.
    fn fields(&self) {
        let fields = gather(&self.models, |model| {
            let fields = model.fields();
            fields.map(|(name, wire, field)| (format!("{name}.{wire}"), &field.ty))
        });
        for (place, types) in fields {
            if joined(&types).is_none() {
                self.ask(&place, &types, self.one_type(&place, &types));
            }
        }
    }

    /// Returns an entry that gives the field at `place` a single type.
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
            let def = ty.name().and_then(|name| self.def(*index, name));
            match (ty, def) {
                (Type::Text, _) => {}
                (Type::Constant(value), _) => values.extend([value]),
                (Type::Named(other), Some(Def::Enum(def))) => {
                    name.clone_from(other);
                    values.extend(&def.values);
                }
                _ => return entry("raw", [("at", place)]),
            }
        }
        let values: Vec<_> = values.into_iter().cloned().collect();
        let entry = Proposal::of("values").with("at", place).with("name", name);
        entry.with("values", values).reason()
    }

    /// Asks about members of a union that seem to have another name in a newer revision.
    ///
    /// An entry that renames a member to its own name says that the members differ.
    fn members(&self) {
        for (union, defs) in gather(&self.models, |model| &model.types) {
            let members = gather(&defs, |def| def.member_names().map(|name| (name, name)));
            for (name, old) in &members {
                let is_settled = |entry: &Rename| entry.from == *name && entry.to == *name;
                if self.overlay.rename.has(is_settled) {
                    continue;
                }
                for (new_name, new) in members.iter().filter(|(_, new)| self.is_same(old, new)) {
                    let both = [&old[..], new].concat();
                    let entries = old.iter();
                    let entries = entries.map(|(index, name)| self.rename(*index, name, new_name));
                    self.ask(union, &both, entries.collect::<String>());
                }
            }
        }
    }

    /// Returns true if a newer struct has all fields of a struct that was removed.
    fn is_same(&self, old: &Answers<&str>, new: &Answers<&str>) -> bool {
        let (Some(old), Some(new)) = (old.last(), new.first()) else {
            return false;
        };
        let fields = |(index, name): &(usize, &str)| self.def(*index, name)?.fields();
        let (Some(own), Some(others)) = (fields(old), fields(new)) else {
            return false;
        };
        let has = |wire, own: &Field| others.get(wire).is_some_and(|other| other.ty == own.ty);
        old.0 < new.0 && !own.is_empty() && own.iter().all(|(wire, own)| has(wire, own))
    }

    /// Asks about renamed error codes, and about codes that JSON-RPC defines.
    fn errors(&self) {
        for (code, errors) in gather(&self.models, |model| &model.errors) {
            let names = parts(&errors, |error| Some(format!("{}Error", error.name)));
            let place = format!("error {code}");
            if let (-32700 | -32603..=-32600, Some((_, name))) = (code, names.last()) {
                let entry = Proposal::of("support").with("name", &**name);
                let entry = entry.with("as", "type");
                let entry = entry.with("reason", "a code of JSON-RPC itself");
                self.ask(&place, &names, entry.text());
            } else {
                self.names(&place, &names);
            }
        }
    }

    /// Asks about methods whose kind, or the name of whose params or result, changes.
    fn methods(&self) {
        for (name, methods) in gather(&self.models, |model| &model.methods) {
            let kind = |method: &Method| Some(format!("answered: {}", method.request));
            let kinds = parts(&methods, kind);
            self.differing(name, &kinds, |_, _, _| entry("result", [("method", name)]));
            self.names(name, &parts(&methods, |method| Some(method.params.clone())));
            self.names(name, &parts(&methods, |method| method.result.clone()));
        }
    }
}

/// Groups the parts of all revisions by name.
fn gather<'a, T, K: Ord, V, I: IntoIterator<Item = (K, V)>>(
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

/// Returns a part of each answer, if the answer has the part.
fn parts<'a, T, U>(answers: &Answers<&'a T>, part: impl Fn(&'a T) -> Option<U>) -> Answers<U> {
    let parts = answers.iter();
    let parts = parts.filter_map(|(index, answer)| Some((*index, part(answer)?)));
    parts.collect()
}

/// Returns a type that can hold the values of all types.
fn joined(types: &Answers<&Type>) -> Option<Type> {
    let mut newest_first = types.iter().rev().map(|(_, ty)| *ty);
    let newest = newest_first.next()?.clone();
    newest_first.try_fold(newest, |newer, older| wider(&newer, older))
}
