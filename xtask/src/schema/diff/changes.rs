//! Describes the changes from one schema to another, with one phrase per change.

use super::flat::{flat, leaves};
use super::parts::{ALTERNATIVES, Need, children, has_keywords, is_named, members, referred};
use super::words::{brief, choices, code, words};
use itertools::Itertools;
use serde_json::{Value, json};

/// Returns the changes from one schema to another, each of which is given with its definitions.
pub(super) fn changes(older: (&Value, &Value), newer: (&Value, &Value)) -> Vec<String> {
    let mut changes = Changes {
        definitions: (older.0, newer.0),
        by_name: false,
        phrases: Vec::new(),
    };
    changes.schemas("", older.1, newer.1);
    changes.phrases
}

struct Changes<'a> {
    definitions: (&'a Value, &'a Value),
    /// True inside of a definition that was entered by name. No other definition is entered from there,
    /// because its changes are listed separately. This also breaks cycles.
    by_name: bool,
    phrases: Vec<String>,
}

/// Schemas that are compared in the same way.
#[derive(PartialEq)]
enum Kind {
    Object,
    List,
    Choice,
    Plain,
}

fn kind(schema: &Value) -> Kind {
    let has = |keyword: &&str| schema.get(keyword).is_some();
    match schema["type"].as_str() {
        Some("object") => Kind::Object,
        Some("array") => Kind::List,
        _ if has(&"properties") => Kind::Object,
        _ if has(&"enum") || ALTERNATIVES.iter().any(has) => Kind::Choice,
        _ => Kind::Plain,
    }
}

impl Changes<'_> {
    fn schemas(&mut self, path: &str, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        let references = [old, new].map(|schema| referred(schema).is_some());
        let enters = is_named(old) || is_named(new);
        if references == [true, true] || enters && self.by_name {
            return self.say(path, words, old, new);
        }
        let outer = self.by_name;
        self.by_name |= enters;
        let before = flat(self.definitions.0, old);
        let after = flat(self.definitions.1, new);
        let was = if references[0] { old } else { &before };
        let is = if references[1] { new } else { &after };
        let are_alone = [was, is].iter().all(|it| members(it).count() == 1);
        match (kind(&before), kind(&after)) {
            _ if are_alone && !choices(was).is_disjoint(&choices(is)) => {
                self.choices(path, was, is);
            }
            (of_old, of_new) if of_old == of_new => {
                if references.contains(&true) {
                    self.say(path, brief, was, is);
                } else {
                    self.say(path, brief, &head(&before, &after), &head(&after, &before));
                }
                self.choices(path, &before, &after);
                self.children(path, &before, &after);
            }
            (Kind::Object, Kind::Choice) => {
                self.say(path, brief, was, is);
                self.by_name = true;
                for (label, leaf) in leaves(self.definitions.1, &after) {
                    self.alternative(path, &format!("as {label}"), &before, &leaf);
                }
            }
            (Kind::Choice, Kind::Object) => {
                self.say(path, brief, was, is);
                self.by_name = true;
                for (label, leaf) in leaves(self.definitions.0, &before) {
                    self.alternative(path, &format!("from {label}"), &leaf, &after);
                }
            }
            _ => self.say(path, words, was, is),
        }
        self.by_name = outer;
    }

    /// Adds the phrase for a place whose kind or limits have changed. If `words` can't describe the
    /// difference, the phrase has the JSON.
    fn say(&mut self, path: &str, words: fn(&Value) -> String, old: &Value, new: &Value) {
        let mut was = words(old);
        let mut is = words(new);
        if was == is {
            was = code(&old.to_string());
            is = code(&new.to_string());
        }
        if was != is {
            let phrase = format!("{}was {was}, is {is}", subject(path));
            self.phrases.push(phrase);
        }
    }

    /// Adds changes of fields, of the items of a list, and of the values of a map.
    fn children(&mut self, path: &str, old: &Value, new: &Value) {
        let before = children(old);
        let after = children(new);
        for (suffix, &(need, new)) in &after {
            let path = format!("{path}{suffix}");
            let Some(&(needed, old)) = before.get(suffix) else {
                self.part("added", &path, need, new);
                continue;
            };
            if let Some(need) = need.filter(|_| need != needed) {
                self.phrases.push(format!("{} became {need}", place(&path)));
            }
            self.schemas(&path, old, new);
        }
        for (suffix, (need, old)) in before {
            if !after.contains_key(&suffix) {
                self.part("removed", &format!("{path}{suffix}"), need, old);
            }
        }
    }

    /// Adds the phrase for a field that one revision lacks, and for its inner fields. The description of
    /// a list or map includes its items or values.
    fn part(&mut self, verb: &str, path: &str, need: Need, schema: &Value) {
        if let Some(need) = need {
            let phrase = format!("{verb} {need} {}: {}", place(path), brief(schema));
            self.phrases.push(phrase);
        }
        for (suffix, (need, child)) in children(schema) {
            self.part(verb, &format!("{path}{suffix}"), need, child);
        }
    }

    /// Adds phrases for added and removed values of an enum or alternatives of a union.
    fn choices(&mut self, path: &str, old: &Value, new: &Value) {
        let before = choices(old);
        let after = choices(new);
        for (verb, these, those) in [("added", &after, &before), ("removed", &before, &after)] {
            let only = these.difference(those);
            let phrases = only.map(|name| format!("{}{verb} {name}", subject(path)));
            self.phrases.extend(phrases);
        }
    }

    /// Adds the phrase for one alternative if an object became a union or vice versa: the changes of the
    /// object's fields.
    fn alternative(&mut self, path: &str, label: &str, old: &Value, new: &Value) {
        let start = self.phrases.len();
        self.children(path, old, new);
        let phrases = match self.phrases.drain(start..).join("; ").as_str() {
            "" => format!("{label}: the same fields"),
            phrases => format!("{label}: {phrases}"),
        };
        self.phrases.push(phrases);
    }
}

/// Returns a schema without the parts that are compared separately with the parts of `other`.
fn head(schema: &Value, other: &Value) -> Value {
    let mut head = schema.clone();
    if let Value::Object(head) = &mut head {
        head.retain(|keyword, value| match keyword.as_str() {
            "enum" | "properties" | "required" => false,
            "items" | "additionalProperties" => {
                !(has_keywords(value) && has_keywords(&other[keyword]))
            }
            _ if ALTERNATIVES.contains(&keyword.as_str()) => {
                *value = json!([]);
                true
            }
            _ => true,
        });
    }
    head
}

fn subject(path: &str) -> String {
    match path {
        "" => String::new(),
        path => format!("{}: ", place(path)),
    }
}

/// Formats a path. The path of a field has a `.` before its first name.
fn place(path: &str) -> String {
    code(path.strip_prefix('.').unwrap_or(path))
}
