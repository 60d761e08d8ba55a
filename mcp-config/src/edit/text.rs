//! Changes the text of a file in place: comments, order, indentation and line ends stay.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, Table, ser};

/// Marks a line to remove, as a comment with a character for private use.
const MARK: &str = "#\u{f8ff}";

type Entry<'a> = Option<&'a Map<String, Value>>;

/// Sets or removes an entry of the member `servers`. Returns `None` if the text has another form.
pub(super) fn json(text: &str, servers: &str, name: &str, entry: Entry<'_>) -> Option<String> {
    let options = ParseOptions {
        allow_missing_commas: false,
        ..ParseOptions::default()
    };
    let root = CstRootNode::parse(text, &options).ok()?;
    let table = root
        .object_value_or_create()?
        .object_value_or_create(servers)?;
    match (table.get(name), entry.map(object)) {
        (Some(old), Some(entry)) => old.set_value(entry),
        (Some(old), None) => old.remove(),
        (None, entry) => drop(table.append(name, entry?)),
    }
    Some(root.to_string())
}

fn object(members: &Map<String, Value>) -> CstInputValue {
    let members = members.iter().map(|(name, it)| (name.clone(), value(it)));
    CstInputValue::Object(members.collect())
}

fn value(value_: &Value) -> CstInputValue {
    match value_ {
        Value::Array(it) => CstInputValue::Array(it.iter().map(value).collect()),
        Value::Object(it) => object(it),
        // No client needs other values.
        other => CstInputValue::String(other.as_str().unwrap_or_default().to_owned()),
    }
}

/// Like [`json`]. A new table is added at the end.
pub(super) fn toml(text: &str, servers: &str, name: &str, entry: Entry<'_>) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let table = document.entry(servers).or_insert(Item::Table(Table::new()));
    let is_inline = table.is_inline_table();
    let table = table.as_table_like_mut()?;
    let new = entry.map(ser::to_document).transpose().ok()?;
    let new = new.map(|it| it.as_table().clone());
    let mut edited = match (table.get_mut(name), new) {
        (None, Some(new)) if !is_inline => {
            let mut table = Table::from_iter([(name, Item::Table(new))]);
            table.set_implicit(true);
            let new = DocumentMut::from(Table::from_iter([(servers, Item::Table(table))]));
            let gap = match text {
                "" => "",
                _ if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            format!("{text}{gap}{new}")
        }
        (Some(Item::Table(old)), new) if !old.is_dotted() => {
            let mut decor = old.decor().clone();
            let position = old.position();
            if new.is_none() {
                decor.set_suffix(MARK);
            }
            *old = new.unwrap_or_default();
            *old.decor_mut() = decor;
            old.set_position(position);
            without_marked_line(&document.to_string())
        }
        (_, Some(new)) => {
            table.insert(name, Item::Value(new.into_inline_table().into()));
            document.to_string()
        }
        (_, None) => {
            table.remove(name);
            document.to_string()
        }
    };
    if !text.is_empty() && !text.ends_with('\n') {
        edited.truncate(edited.trim_end_matches('\n').len());
    }
    Some(edited)
}

/// Removes the line of an empty table, and a blank line before it. Comments before it may be about
/// other tables, so they stay.
fn without_marked_line(text: &str) -> String {
    let Some((before, after)) = text.split_once(MARK) else {
        return text.to_owned();
    };
    let before = &before[..before.rfind('\n').map_or(0, |it| it + 1)];
    let is_blank = before == "\n" || before.ends_with("\n\n");
    let before = &before[..before.len() - usize::from(is_blank)];
    format!("{before}{}", after.strip_prefix('\n').unwrap_or(after))
}
