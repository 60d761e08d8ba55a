//! Describes in words what has changed between two snapshots.

use std::collections::HashSet;
use std::fmt;

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::ir::{Defs, Feature, Id, Method, Model, Shape, Type};
use crate::model::read::read;
use crate::snapshot::Snapshot;

/// A change between two snapshots of a server.
///
/// [`Display`](fmt::Display) writes one line, which begins with `breaking` or `additive`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// True if code that uses the changed item does not compile with new bindings.
    ///
    /// With the old bindings, such code fails at the item, or continues without it.
    pub breaking: bool,
    /// The tool, the place in its schemas, and what has changed there.
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

/// Returns the changes from `old`, a stored snapshot, to `new`, a current listing.
///
/// Tools that the bindings of `old` leave out are ignored.
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
    let listed: HashSet<_> = old.tools.iter().map(|it| it.text("name")).collect();
    let bound = old.rust.as_ref().map(|names| &names.tools);
    let is_bound = |name: &str| match bound {
        Some(bound) => bound.contains_key(name) || !listed.contains(name),
        None => true,
    };
    let [old_model, new_model] = [old, new].map(|it| read(it, &is_bound, Vec::new()).0);
    let mut comparison = Comparison {
        old: &old_model,
        new: &new_model,
        seen: HashSet::new(),
        found: Vec::new(),
    };
    comparison.methods(Feature::Tool, "tool");
    comparison.methods(Feature::Prompt, "prompt");
    comparison.methods(Feature::Template, "resource template");
    comparison.server(old, new);
    comparison.found
}

struct Comparison<'a> {
    old: &'a Model,
    new: &'a Model,
    /// The pairs of definitions that were already compared, and whether they are sent.
    seen: HashSet<(Id, Id, bool)>,
    found: Vec<Difference>,
}

/// A part of a type: a member, value or alternative.
struct Part<'a> {
    /// The path from the type to the part, as it is shown to the user.
    step: String,
    ty: &'a Type,
    required: bool,
    doc: &'a str,
}

impl Comparison<'_> {
    fn push(&mut self, breaking: bool, text: String) {
        self.found.push(Difference { breaking, text });
    }

    /// Returns the parts that both sides have, with their places. Reports all other parts.
    fn pairs<T>(
        &mut self,
        old: Vec<T>,
        new: Vec<T>,
        at: impl Fn(&T) -> String,
        is_required: impl Fn(&T) -> bool,
    ) -> Vec<(String, T, T)> {
        let mut new: IndexMap<_, _> = new.into_iter().map(|it| (at(&it), it)).collect();
        let mut pairs = Vec::new();
        for part in old {
            let at = at(&part);
            match new.shift_remove(&at) {
                Some(other) => pairs.push((at, part, other)),
                None => self.push(true, format!("{at} is gone")),
            }
        }
        for (at, part) in new {
            if is_required(&part) {
                self.push(true, format!("{at} is new, and required"));
            } else {
                self.push(false, format!("{at} is new"));
            }
        }
        pairs
    }

    fn methods(&mut self, feature: Feature, kind: &str) {
        let [old, new] = [self.old, self.new].map(|model| model.of(feature).collect());
        let at = |method: &&Method| format!("{kind} {}", quoted(&method.key));
        for (at, old, new) in self.pairs(old, new, at, |_| false) {
            self.method(&at, old, new);
        }
    }

    fn method(&mut self, at: &str, old: &Method, new: &Method) {
        if (&old.doc, old.repeatable) != (&new.doc, new.repeatable) {
            self.push(false, format!("{at}: its description has changed"));
        }
        let arguments = format!("{at}: arguments");
        self.types(&arguments, &old.arguments, &new.arguments, true);
        match (&old.output, &new.output) {
            (None, None) => {}
            (Some(old), Some(new)) => self.types(&format!("{at}: result"), &old.ty, &new.ty, false),
            (None, _) => self.push(true, format!("{at}: it has an output schema now")),
            (_, None) => self.push(true, format!("{at}: it has no output schema now")),
        }
    }

    /// Compares two types. `sent` is true for arguments.
    fn types(&mut self, at: &str, old: &Type, new: &Type, sent: bool) {
        let was = described(old, &self.old.defs);
        let is = described(new, &self.new.defs);
        if was != is {
            return self.push(true, format!("{at} is {is} now, and was {was}"));
        }
        match (old, new) {
            (Type::List(old), Type::List(new)) | (Type::Map(old), Type::Map(new)) => {
                self.types(&format!("{at}[]"), old, new, sent);
            }
            (Type::Nullable(old), Type::Nullable(new)) => self.types(at, old, new, sent),
            (Type::Tuple(old), Type::Tuple(new)) => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.types(&format!("{at}[{index}]"), old, new, sent);
                }
            }
            (Type::Named(a), Type::Named(b)) if self.seen.insert((*a, *b, sent)) => {
                let old = parts(self.old, *a);
                let new = parts(self.new, *b);
                let step = |part: &Part<'_>| format!("{at}{}", part.step);
                let is_required = |part: &Part<'_>| sent && part.required;
                for (at, old, new) in self.pairs(old, new, step, is_required) {
                    self.part(&at, &old, &new, sent);
                }
            }
            _ => {}
        }
    }

    fn part(&mut self, at: &str, old: &Part<'_>, new: &Part<'_>, sent: bool) {
        match (old.required, new.required) {
            (false, true) => self.push(true, format!("{at} is required now")),
            (true, false) => self.push(true, format!("{at} may be left out now")),
            _ if old.doc != new.doc => {
                self.push(
                    false,
                    format!("{at} has a different description, limit or default"),
                );
            }
            _ => {}
        }
        if old.required || new.required {
            self.types(at, old.ty, new.ty, sent);
        } else {
            // Both fields already are an `Option`, so null makes no difference.
            self.types(at, old.ty.not_null(), new.ty.not_null(), sent);
        }
    }

    fn server(&mut self, old: &Snapshot, new: &Snapshot) {
        let name = |it: &Snapshot| quoted(&format!("{} {}", it.server().0, it.server().1));
        if old.server() != new.server() {
            let is = name(new);
            let was = name(old);
            self.push(false, format!("the server is {is} now, and was {was}"));
        }
        if old.instructions != new.instructions {
            let text = "the instructions of the server have changed";
            self.push(false, text.to_owned());
        }
    }
}

fn parts(model: &Model, id: Id) -> Vec<Part<'_>> {
    let part = |step, ty| Part {
        step,
        ty,
        required: false,
        doc: "",
    };
    match model.shape(id) {
        Some(Shape::Struct(it)) => {
            let fields = it.fields.iter().map(|(name, field)| Part {
                step: format!(".{}", name.escape_debug()),
                ty: &field.ty,
                required: field.required,
                doc: &field.doc,
            });
            let extra = it.extra.iter().map(|ty| part(".*".to_owned(), ty));
            fields.chain(extra).collect()
        }
        Some(Shape::Enum(values)) => {
            let step = |value| format!(": the value {}", quoted(value));
            let values = values.iter().map(|(value, _)| step(value));
            values.map(|step| part(step, &Type::Text)).collect()
        }
        Some(Shape::Tagged { variants, .. }) => {
            let step = |values: &[String]| format!(": the alternative {}", quoted(&values[0]));
            let parts = variants.iter().map(|it| part(step(&it.0), &it.1));
            parts.collect()
        }
        Some(Shape::Kinds(types)) => {
            let step = |ty| format!(": the alternative {:?}", Type::kind(ty, &model.defs));
            types.iter().map(|ty| part(step(ty), ty)).collect()
        }
        None => Vec::new(),
    }
}

/// Quotes a name from the server, and keeps it on one line.
fn quoted(name: &str) -> String {
    format!("`{}`", name.escape_debug())
}

fn described(ty: &Type, defs: &Defs) -> String {
    let words = match ty {
        Type::Null => "null",
        Type::Bool => "a boolean",
        Type::Integer => "an integer",
        Type::Unsigned => "an integer that is not negative",
        Type::Number => "a number",
        Type::Text | Type::External(_) => "a string",
        Type::Json => "any JSON",
        Type::List(_) => "a list",
        Type::Map(_) => "a map",
        Type::Tuple(items) if items.is_empty() => "nothing",
        Type::Tuple(items) => return format!("a list of {} items", items.len()),
        Type::Nullable(inner) => return format!("{} or null", described(inner, defs)),
        Type::Named(id) => match defs.get(id).map(|def| &def.shape) {
            Some(Shape::Enum(_)) => "one of several strings",
            Some(Shape::Struct(_)) => "an object with members",
            Some(Shape::Tagged { tag, .. }) => {
                return format!("one of several objects by {}", quoted(tag));
            }
            _ => "one of several types",
        },
    };
    words.to_owned()
}
