//! The values of a file in any of the three languages, with their positions.

use std::collections::BTreeMap;

/// A value, and the offset in the file where it begins, in bytes.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: usize,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// What is wrong at an offset of a file, without its values: they may be secret.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: Option<usize>,
    pub(crate) text: String,
}

impl Node {
    /// The member `name` of a map; `None` also where it is null.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Value::Map(members) = &self.value else {
            return None;
        };
        // The last one counts, as in JavaScript.
        let member = members.iter().rev().find(|(key, _)| key == name);
        let member = member.map(|(_, node)| node);
        member.filter(|node| !matches!(node.value, Value::Null))
    }

    /// The member `name`, a text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Fault> {
        let text = |node: &Self| node.as_text().ok_or_else(|| node.fault(name, "a string"));
        self.get(name).map(text).transpose()
    }

    /// The member `name`, true or false.
    pub(crate) fn bool(&self, name: &str) -> Result<Option<bool>, Fault> {
        let bool = |node: &Self| match node.value {
            Value::Bool(bool) => Ok(bool),
            _ => Err(node.fault(name, "true or false")),
        };
        self.get(name).map(bool).transpose()
    }

    /// The member `name`, a list; empty if it is missing.
    pub(crate) fn list(&self, name: &str) -> Result<&[Self], Fault> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Self {
                value: Value::List(list),
                ..
            }) => Ok(list),
            Some(other) => Err(other.fault(name, "a list")),
        }
    }

    /// The member `name`, a list of texts; empty if it is missing.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, Fault> {
        let text = |node: &Self| {
            node.as_text()
                .ok_or_else(|| node.fault(name, "a list of strings"))
        };
        self.list(name)?.iter().map(text).collect()
    }

    /// The member `name`, a map; empty if it is missing.
    pub(crate) fn map(&self, name: &str) -> Result<&[(String, Self)], Fault> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Self {
                value: Value::Map(map),
                ..
            }) => Ok(map),
            Some(other) => Err(other.fault(name, "a table of names and values")),
        }
    }

    /// The member `name`, a map of texts, whose nulls are left out; empty if it is missing.
    pub(crate) fn table(&self, name: &str) -> Result<BTreeMap<String, String>, Fault> {
        let mut table = BTreeMap::new();
        for (key, node) in self.map(name)? {
            if !matches!(node.value, Value::Null) {
                let text = node.as_text();
                let text = text.ok_or_else(|| node.fault(name, "a table of strings"))?;
                table.insert(key.clone(), text);
            }
        }
        Ok(table)
    }

    /// A text, or what stands for one: a number or a truth value as it is written.
    pub(crate) fn as_text(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text.clone()),
            Value::Bool(bool) => Some(bool.to_string()),
            _ => None,
        }
    }

    fn fault(&self, name: &str, expected: &str) -> Fault {
        Fault {
            at: Some(self.at),
            text: format!("`{name}` must be {expected}"),
        }
    }
}
