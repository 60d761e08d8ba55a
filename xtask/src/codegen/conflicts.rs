//! Places where the revisions disagree and no rule of [`super::merge`] joins them.

use super::error::{Error, Result};
use super::ir::{Def, Model, Type};
use super::merge::wider;
use super::names::pascal;
use super::overlay::Overlay;
use super::type_words::{by_revision, place_of};
use std::collections::{BTreeMap, BTreeSet};

/// Asks about each conflict between the revisions, given oldest first.
pub(super) fn ask(models: &[Model], overlay: &Overlay) -> Result<()> {
    let revisions: Vec<_> = models.iter().map(|model| model.revision.clone()).collect();
    let conflicts = Conflicts {
        models,
        overlay,
        revisions,
    };
    conflicts.kinds();
    conflicts.fields();
    conflicts.errors();
    conflicts.methods()
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

    fn ask(&self, place: &str, what: Answers<String>, entry: impl Into<String>) {
        let what = by_revision(&self.revisions, what);
        self.overlay.decisions.ask(place, what, entry);
    }

    /// Types that are an object in one revision and a choice in another.
    fn kinds(&self) {
        for (name, defs) in self.gather(|model| model.types.iter()) {
            let newest = defs.last().map(|(_, def)| def.kind());
            let others = defs.iter().filter(|(_, def)| Some(def.kind()) != newest);
            let entries: String = others.map(|(index, _)| self.apart(*index, name)).collect();
            if !entries.is_empty() {
                let kinds = defs
                    .iter()
                    .map(|(index, def)| (*index, def.kind().to_owned()));
                self.ask(name, kinds.collect(), entries);
            }
        }
    }

    /// The entry that keeps one revision's type out of the other revisions'.
    fn apart(&self, index: usize, name: &str) -> String {
        let model = &self.models[index];
        let origin = model.origins.get(name).map_or(name, String::as_str);
        let place = origin.trim_start_matches("/$defs/");
        if place.contains('/') {
            return raw(&place_of(origin));
        }
        rename(&model.revision, place, &format!("Legacy{name}"))
    }

    /// Fields whose types have nothing in common.
    fn fields(&self) {
        let fields = self.gather(|model| {
            let structs = model.types.iter().filter_map(|(name, def)| match def {
                Def::Struct(def) => Some((name, def)),
                Def::Union(_) | Def::Enum(_) => None,
            });
            structs.flat_map(|(name, def)| {
                let fields = def.fields.iter();
                fields.map(move |(field, entry)| (format!("{name}.{field}"), &entry.ty))
            })
        });
        for (place, types) in fields {
            if joined(&types).is_none() {
                let entry = self.one_type(&place, &types);
                let words = types.iter().map(|(index, ty)| (*index, ty.to_string()));
                self.ask(&place, words.collect(), entry);
            }
        }
    }

    /// The entry that gives the field at `place` one type.
    fn one_type(&self, place: &str, types: &Answers<&Type>) -> String {
        let items = types.iter().map(|(index, ty)| match ty {
            Type::List(item) => Some((*index, &**item)),
            _ => None,
        });
        let items: Option<Answers<&Type>> = items.collect();
        if let Some(items) = items {
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
                    Some(Def::Struct(_) | Def::Union(_)) | None => return raw(place),
                },
                Type::Integer { .. }
                | Type::Number
                | Type::Bool
                | Type::Json { .. }
                | Type::Object { .. }
                | Type::List(_)
                | Type::Map(_)
                | Type::OneOrMany(_) => return raw(place),
            }
        }
        let values: Vec<_> = values.into_iter().collect();
        format!(
            "[[values]]\nat = \"{place}\"\nname = \"{name}\"\nvalues = {values:?}\nreason = \"\"\n"
        )
    }

    /// Error codes with another name or other data.
    fn errors(&self) {
        for (code, errors) in self.gather(|model| model.errors.iter()) {
            let Some((_, newest)) = errors.last() else {
                continue;
            };
            let others = errors.iter().filter(|(_, error)| error.name != newest.name);
            let entries: String = others
                .map(|(index, error)| {
                    let (from, to) = (
                        format!("{}Error", error.name),
                        format!("{}Error", newest.name),
                    );
                    rename(&self.revisions[*index], &from, &to)
                })
                .collect();
            if !entries.is_empty() {
                let names = errors
                    .iter()
                    .map(|(index, error)| (*index, error.name.clone()));
                self.ask(&format!("error {code}"), names.collect(), entries);
            }
        }
    }

    /// Methods whose results have another name.
    fn methods(&self) -> Result<()> {
        for (name, methods) in self.gather(|model| model.methods.iter()) {
            let Some((_, newest)) = methods.last() else {
                continue;
            };
            if methods
                .iter()
                .any(|(_, method)| method.request != newest.request)
            {
                let kind = |request| {
                    if request {
                        "a request"
                    } else {
                        "a notification"
                    }
                };
                let kinds = methods
                    .iter()
                    .map(|(index, method)| (*index, kind(method.request)));
                return Err(Error::conflict(name, by_revision(&self.revisions, kinds)));
            }
            let mut entries = String::new();
            for (index, method) in &methods {
                let types = [
                    (&method.params, &newest.params),
                    (&method.result, &newest.result),
                ];
                for (own, newest) in types {
                    if let (Some(own), Some(newest)) = (own, newest)
                        && own != newest
                    {
                        entries += &rename(&self.revisions[*index], own, newest);
                    }
                }
            }
            if !entries.is_empty() {
                let types = methods.iter().map(|(index, method)| {
                    let name = |ty: &Option<String>| ty.clone().unwrap_or_else(|| "none".into());
                    let (params, result) = (name(&method.params), name(&method.result));
                    (*index, format!("params {params}, result {result}"))
                });
                self.ask(name, types.collect(), entries);
            }
        }
        Ok(())
    }
}

/// The type that holds what all of them hold.
fn joined(types: &Answers<&Type>) -> Option<Type> {
    let mut newest_first = types.iter().rev().map(|(_, ty)| *ty);
    let newest = newest_first.next()?.clone();
    newest_first.try_fold(newest, |newer, older| wider(&newer, older))
}

fn raw(place: &str) -> String {
    format!("[[raw]]\nat = \"{place}\"\nreason = \"\"\n")
}

fn rename(revision: &str, from: &str, to: &str) -> String {
    format!(
        "[[rename]]\nrevision = \"{revision}\"\nfrom = \"{from}\"\nto = \"{to}\"\nreason = \"\"\n"
    )
}
