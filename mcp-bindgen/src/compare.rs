//! What has changed between two snapshots, in words.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use crate::model::ir::{Field, Id, Model, Shape, TextEntry, Type};
use crate::model::read::read;
use crate::snapshot::Snapshot;

/// A change of a server.
///
/// It prints as one line, which begins with `breaking` or `additive`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// True if code that uses what has changed does not compile with new bindings. Code with the old
    /// ones fails at that place, or goes on without it.
    pub breaking: bool,
    /// The tool and the place, and what has changed there.
    pub text: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.breaking {
            "breaking"
        } else {
            "additive"
        };
        write!(f, "{kind}: {}", self.text)
    }
}

/// Returns what `new`, a live listing, has changed of `old`, a snapshot. Tools of `old` that its bindings
/// leave out do not count.
///
/// ```
/// use mcp_bindgen::{Snapshot, compare};
///
/// let old = Snapshot::parse(br#"{"tools": [{"name": "map"}, {"name": "forecast"}]}"#)?;
/// let new = Snapshot::parse(br#"{"tools": [{"name": "map"}, {"name": "radar"}]}"#)?;
/// let lines: Vec<_> = compare(&old, &new).iter().map(ToString::to_string).collect();
/// assert_eq!(lines, ["breaking: tool `forecast` is gone", "additive: tool `radar` is new"]);
/// # Ok::<_, mcp_bindgen::Error>(())
/// ```
#[must_use]
pub fn compare(old: &Snapshot, new: &Snapshot) -> Vec<Difference> {
    let listed: HashSet<_> = old.tools.iter().filter_map(|it| it.text("name")).collect();
    let bound = old.rust.as_ref().map(|names| &names.tools);
    let is_bound = |name: &str| match bound {
        Some(bound) => bound.contains_key(name) || !listed.contains(name),
        None => true,
    };
    let mut comparison = Comparison {
        old: &read(old, &is_bound, Vec::new()).0,
        new: &read(new, &is_bound, Vec::new()).0,
        place: String::new(),
        seen: HashSet::new(),
        found: Vec::new(),
    };
    comparison.tools();
    let (old_model, new_model) = (comparison.old, comparison.new);
    comparison.text_entries("prompt", &old_model.prompts, &new_model.prompts);
    comparison.text_entries(
        "resource template",
        &old_model.templates,
        &new_model.templates,
    );
    comparison.server(old, new);
    comparison.found
}

struct Comparison<'a> {
    old: &'a Model,
    new: &'a Model,
    /// Where the walk is: a tool, then the way into its types.
    place: String,
    /// Definitions that were compared already, and whether they are sent.
    seen: HashSet<(Id, Id, bool)>,
    found: Vec<Difference>,
}

impl<'a> Comparison<'a> {
    fn push(&mut self, breaking: bool, what: &str) {
        let text = format!("{}{what}", self.place);
        self.found.push(Difference { breaking, text });
    }

    /// Compares what is one step further.
    fn within(&mut self, step: &str, compare: impl FnOnce(&mut Self)) {
        let length = self.place.len();
        self.place += step;
        compare(self);
        self.place.truncate(length);
    }

    /// Calls `compare` with entries that both have, and reports the others.
    fn both<T>(
        &mut self,
        kind: &str,
        old: &'a [T],
        new: &'a [T],
        name: impl Fn(&T) -> &str,
        mut compare: impl FnMut(&mut Self, &'a T, &'a T),
    ) {
        for entry in old {
            match new.iter().find(|it| name(it) == name(entry)) {
                Some(other) => compare(self, entry, other),
                None => self.push(true, &format!("{kind} {} is gone", quoted(name(entry)))),
            }
        }
        for entry in new {
            if old.iter().all(|it| name(it) != name(entry)) {
                self.push(false, &format!("{kind} {} is new", quoted(name(entry))));
            }
        }
    }

    fn tools(&mut self) {
        let (old, new) = (&self.old.tools, &self.new.tools);
        self.both(
            "tool",
            old,
            new,
            |tool| &tool.name,
            |this, old, new| {
                this.within(&format!("{}: ", quoted(&old.name)), |this| {
                    if (&old.doc, old.repeatable) != (&new.doc, new.repeatable) {
                        this.push(false, "its description has changed");
                    }
                    this.within("arguments", |this| {
                        this.types(&old.arguments, &new.arguments, true);
                    });
                    match (&old.output, &new.output) {
                        (None, None) => {}
                        (Some(old), Some(new)) => {
                            this.within("result", |this| this.types(&old.ty, &new.ty, false));
                        }
                        (old, _) => {
                            let what = if old.is_some() { "no" } else { "an" };
                            this.push(true, &format!("it has {what} output schema now"));
                        }
                    }
                });
            },
        );
    }

    fn text_entries(&mut self, kind: &str, old: &'a [TextEntry], new: &'a [TextEntry]) {
        self.both(
            kind,
            old,
            new,
            |entry| &entry.key,
            |this, old, new| {
                this.within(&format!("{kind} {}: ", quoted(&old.key)), |this| {
                    if old.doc != new.doc {
                        this.push(false, "its description has changed");
                    }
                    this.within("arguments", |this| {
                        this.types(&old.arguments, &new.arguments, true);
                    });
                });
            },
        );
    }

    /// Compares two types; `sent` is true for arguments.
    fn types(&mut self, old: &'a Type, new: &'a Type, sent: bool) {
        match (old, new) {
            (Type::List(old), Type::List(new)) | (Type::Map(old), Type::Map(new)) => {
                self.within("[]", |this| this.types(old, new, sent));
            }
            (Type::Nullable(old), Type::Nullable(new)) => self.types(old, new, sent),
            (Type::Tuple(old), Type::Tuple(new)) if old.len() == new.len() => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.within(&format!("[{index}]"), |this| this.types(old, new, sent));
                }
            }
            (Type::Named(a), Type::Named(b)) => {
                if self.seen.insert((*a, *b, sent)) {
                    self.shapes(*a, *b, sent);
                }
            }
            (old, new) if old == new => {}
            (old, new) => {
                let (old, new) = (described(old, self.old), described(new, self.new));
                self.push(true, &format!(" is {new} now, and was {old}"));
            }
        }
    }

    fn shapes(&mut self, a: Id, b: Id, sent: bool) {
        let (old, new) = (&self.old.defs[&a].shape, &self.new.defs[&b].shape);
        match (old, new) {
            (Shape::Struct(old), Shape::Struct(new)) => {
                self.fields(&old.fields, &new.fields, sent);
                if old.extra.is_some() != new.extra.is_some() {
                    self.push(true, ": whether it has members without a name has changed");
                }
            }
            (Shape::Enum(old), Shape::Enum(new)) => {
                self.within(": ", |this| {
                    this.both("the value", old, new, |(value, _)| value, |_, _, _| {});
                });
            }
            (
                Shape::Tagged { tag, variants },
                Shape::Tagged {
                    tag: new_tag,
                    variants: new,
                },
            ) if tag == new_tag => self.within(": ", |this| {
                this.both(
                    "the alternative",
                    variants,
                    new,
                    |it| &it.0[0],
                    |this, old, new| {
                        this.types(&old.1, &new.1, sent);
                    },
                );
            }),
            (Shape::Kinds(old), Shape::Kinds(new)) if old.len() == new.len() => {
                for (old, new) in old.iter().zip(new) {
                    self.types(old, new, sent);
                }
            }
            _ => self.push(true, " has another type now"),
        }
    }

    fn fields(&mut self, old: &'a [(String, Field)], new: &'a [(String, Field)], sent: bool) {
        for (name, field) in new {
            if old.iter().all(|(known, _)| known != name) {
                let is_required = sent && field.required;
                let what = if is_required { ", and required" } else { "" };
                self.push(is_required, &format!(".{name} is new{what}"));
            }
        }
        for (name, field) in old {
            let Some((_, other)) = new.iter().find(|(it, _)| it == name) else {
                self.push(true, &format!(".{name} is gone"));
                continue;
            };
            self.within(&format!(".{name}"), |this| {
                match (field.required, other.required) {
                    (false, true) => this.push(true, " is required now"),
                    (true, false) => this.push(true, " may be left out now"),
                    _ if field.doc != other.doc => {
                        this.push(false, " has another text, limit or default");
                    }
                    _ => {}
                }
                match (field.required, other.required) {
                    // Both are an `Option` already.
                    (false, false) => {
                        this.types(not_null(&field.ty), not_null(&other.ty), sent);
                    }
                    _ => this.types(&field.ty, &other.ty, sent),
                }
            });
        }
    }

    /// Compares what is no type.
    fn server(&mut self, old: &Snapshot, new: &Snapshot) {
        if old.server() != new.server() {
            let [old, new] = [old, new].map(|it| format!("{} {}", it.server().0, it.server().1));
            self.push(
                false,
                &format!(
                    "the server is {} now, and was {}",
                    quoted(&new),
                    quoted(&old)
                ),
            );
        }
        if old.instructions != new.instructions {
            self.push(false, "the instructions of the server have changed");
        }
        let names = |snapshot: &Snapshot| -> Vec<_> {
            snapshot
                .resources
                .iter()
                .filter_map(|it| it.text("uri"))
                .collect()
        };
        if names(old) != names(new) {
            self.push(false, "the list of resources has changed");
        }
    }
}

fn not_null(ty: &Type) -> &Type {
    match ty {
        Type::Nullable(inner) => inner,
        ty => ty,
    }
}

/// A name of the server on one line.
fn quoted(name: &str) -> String {
    format!("`{}`", name.escape_debug())
}

/// A type in words.
fn described(ty: &Type, model: &Model) -> String {
    match ty {
        Type::Null => "null".to_owned(),
        Type::Bool => "a boolean".to_owned(),
        Type::Integer => "an integer".to_owned(),
        Type::Number => "a number".to_owned(),
        Type::Text | Type::External(_) => "text".to_owned(),
        Type::Json => "any JSON".to_owned(),
        Type::List(_) => "a list".to_owned(),
        Type::Map(_) => "a map".to_owned(),
        Type::Tuple(items) => format!("a list of {} items", items.len()),
        Type::Nullable(inner) => format!("{} or null", described(inner, model)),
        Type::Named(id) => match model.defs.get(id).map(|def| &def.shape) {
            Some(Shape::Enum(_)) => "one of several texts",
            Some(Shape::Struct(_)) => "an object with members",
            _ => "one of several types",
        }
        .to_owned(),
    }
}
