//! Lists the members of objects that a schema describes, such as the arguments of a tool, one a
//! line.

use serde_json::Value;

use crate::limits::{DEFAULT_CHARS, LISTED_FIELDS, LISTED_LEVELS, LISTED_SHAPES, LISTED_VALUES};
use crate::schema::{Schema, below, distinct, text};
use crate::screen::{Look, Part, Screen, part};

/// A member of an object.
#[derive(PartialEq)]
struct Field {
    /// The path, as in the arguments of `mcp call`.
    name: String,
    kind: String,
    /// Whether the member is required, or else its default.
    state: String,
    /// The possible values, and the description.
    notes: String,
}

/// How much is shown of a schema.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Detail {
    /// The members, each with the first sentence of its description.
    Short,
    /// Also the members of members, and all of each description.
    Full,
}

impl Detail {
    /// The part of a description that is shown, as one line.
    pub(crate) fn of(self, description: &str) -> String {
        match self {
            Self::Short => first_sentence(description),
            Self::Full => one_line(description),
        }
    }
}

/// Shows the members of an object, or of the objects in a list. If an object can have several
/// shapes, they are separated by "or". Returns false if there are no members.
pub(crate) fn show(root: &Value, detail: Detail, indent: usize, screen: &mut Screen) -> bool {
    let schema = Schema::new(root);
    let shapes = schema.alternatives().take(LISTED_SHAPES);
    let shapes = shapes.map(|it| {
        let mut fields = Fields::new(detail);
        fields.inside(&it, "");
        fields.list
    });
    let shapes = distinct(shapes.filter(|it| !it.is_empty()));
    for (index, fields) in shapes.iter().enumerate() {
        if index > 0 {
            screen.text(indent, Look::Quiet, "or");
        }
        let rows: Vec<_> = fields.iter().map(Field::row).collect();
        table(&rows, indent, screen);
    }
    !shapes.is_empty()
}

impl Field {
    fn row(&self) -> Vec<Part<'_>> {
        vec![
            part(Look::Plain, &self.name),
            part(Look::Quiet, &self.kind),
            part(Look::Quiet, &self.state),
            part(Look::Plain, &self.notes),
        ]
    }
}

/// Shows rows as a table. If the columns do not fit, the last one is below the others.
pub(crate) fn table(rows: &[Vec<Part<'_>>], indent: usize, screen: &mut Screen) {
    if screen.table(indent, rows) {
        return;
    }
    for (last, others) in rows.iter().filter_map(|it| it.split_last()) {
        let parts = others
            .iter()
            .flat_map(|it| [it.clone(), part(Look::Plain, "  ")]);
        screen.line(indent, indent + 4, &parts.collect::<Vec<_>>());
        screen.text(indent + 4, last.0, &last.1);
    }
}

struct Fields<'a> {
    detail: Detail,
    list: Vec<Field>,
    /// The schemas around the current one. A schema inside itself is listed once.
    around: Vec<&'a Value>,
}

impl<'a> Fields<'a> {
    fn new(detail: Detail) -> Self {
        Self {
            detail,
            list: Vec::new(),
            around: Vec::new(),
        }
    }

    /// Adds the members of an object, or of the objects in a list.
    fn inside(&mut self, schema: &Schema<'a>, path: &str) {
        let Some(own) = schema.last_part() else {
            return;
        };
        let is_inside_itself = self.around.iter().any(|it| std::ptr::eq(*it, own));
        if is_inside_itself || self.around.len() > LISTED_LEVELS {
            return;
        }
        self.around.push(own);
        if let Some(item) = schema.item(0).filter(|_| schema.kinds().contains(&"array")) {
            self.inside(&item, &format!("{path}[]"));
        }
        let mut members = schema.members();
        if members.is_empty() && schema.has_objects() {
            // The schema of all members that have no own schema.
            members.push(("*", false));
        }
        for (name, is_required) in members {
            if let Some(member) = schema
                .member(name)
                .filter(|_| self.list.len() < LISTED_FIELDS)
            {
                let path = below(path, name);
                self.list
                    .push(field(&path, &member, is_required, self.detail));
                if self.detail == Detail::Full {
                    self.inside(&member, &path);
                }
            }
        }
        self.around.pop();
    }
}

fn field(name: &str, schema: &Schema<'_>, is_required: bool, detail: Detail) -> Field {
    let state = match default(schema) {
        _ if is_required => "required".to_owned(),
        Some(it) if it.chars().count() <= DEFAULT_CHARS => format!("default {it}"),
        _ => "optional".to_owned(),
    };
    let kind = kind(schema, 0);
    Field {
        name: name.to_owned(),
        // Leaving out an optional member means the same as null.
        kind: if is_required {
            kind
        } else {
            kind.trim_end_matches(" | null").to_owned()
        },
        state,
        notes: notes(schema, detail),
    }
}

fn default(schema: &Schema<'_>) -> Option<String> {
    let default = schema.get("default").filter(|it| !it.is_null())?;
    let shown = one_line(&text(default));
    Some(if shown.contains(' ') {
        format!("“{shown}”")
    } else {
        shown
    })
}

/// The kinds of JSON that match, with the kinds of elements.
pub(crate) fn kind(schema: &Schema<'_>, depth: usize) -> String {
    let kinds = schema.kinds().into_iter().map(|it| {
        let item = schema
            .item(0)
            .filter(|_| it == "array" && depth < LISTED_LEVELS);
        match item.map(|it| kind(&it, depth + 1)) {
            Some(item) if item.contains(' ') => format!("({item})[]"),
            Some(item) => format!("{item}[]"),
            None => it.to_owned(),
        }
    });
    let kinds = distinct(kinds).join(" | ");
    if kinds.is_empty() {
        "any".to_owned()
    } else {
        kinds
    }
}

/// The possible values of a member, and its description.
fn notes(schema: &Schema<'_>, detail: Detail) -> String {
    let item = schema.item(0).filter(|_| schema.kinds() == ["array"]);
    let mut notes = values(item.as_ref().unwrap_or(schema), detail);
    for (least, most, unit) in [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " elements"),
    ] {
        notes.extend(range(schema.get(least), schema.get(most), unit));
    }
    // The formats of numbers are names of types in some language.
    let is_text = schema.kinds().contains(&"string");
    for (keyword, word) in [
        ("exclusiveMinimum", "more than "),
        ("exclusiveMaximum", "less than "),
        ("multipleOf", "a multiple of "),
        ("format", ""),
        ("pattern", "matches "),
    ] {
        let value = schema.get(keyword);
        let value = value.filter(|it| it.is_number() || is_text && it.is_string());
        notes.extend(value.map(|it| format!("{word}{}", text(it))));
    }
    let long = default(schema).filter(|it| it.chars().count() > DEFAULT_CHARS);
    notes.extend(long.map(|it| format!("default {it}")));
    let description = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let description = detail.of(description);
    let notes = notes.join(", ");
    let separator = if notes.is_empty() || description.is_empty() {
        ""
    } else {
        ". "
    };
    format!("{notes}{separator}{description}")
}

fn range(least: Option<&Value>, most: Option<&Value>, unit: &str) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) if least == most => Some(format!("{least}{unit}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
}

/// The only possible values.
fn values(schema: &Schema<'_>, detail: Detail) -> Vec<String> {
    let alternatives = schema.alternatives().filter(|it| it.kinds() != ["null"]);
    let choices: Vec<_> = alternatives.map(|it| it.choices()).collect();
    let texts: Vec<_> = choices.iter().flatten().map(|it| text(it.0)).collect();
    let most = if detail == Detail::Short {
        LISTED_VALUES
    } else {
        LISTED_FIELDS
    };
    match &texts[..] {
        _ if choices.iter().any(Vec::is_empty) || texts.is_empty() => Vec::new(),
        [only] => vec![format!("always {only}")],
        _ => vec![format!("one of {}", shortened(texts, most, ", "))],
    }
}

/// Joins the first parts, and marks that there are more.
fn shortened(parts: impl IntoIterator<Item = String>, most: usize, separator: &str) -> String {
    let mut parts: Vec<_> = parts.into_iter().take(most + 1).collect();
    if parts.len() > most {
        parts[most] = "…".to_owned();
    }
    parts.join(separator)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first sentence of a description, or its first paragraph.
pub(crate) fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let text = one_line(paragraph);
    let is_end = |(index, letter): &(usize, char)| {
        let after = &text[index + letter.len_utf8()..];
        match letter {
            '。' | '！' | '？' => true,
            // "e.g. one" and "3.5" are not ends.
            '.' | '!' | '?' => {
                after.starts_with(' ') && !after[1..].starts_with(char::is_lowercase)
            }
            _ => false,
        }
    };
    let end = text.char_indices().find(is_end);
    end.map_or(&*text, |(index, letter)| &text[..index + letter.len_utf8()])
        .to_owned()
}
