//! Descriptions of types in the terms of JSON Schema, for questions and errors.

use super::merge::Set;
use crate::codegen::model::ir::{Def, Field, Type};
use itertools::Itertools;
use std::collections::BTreeMap;
use std::fmt;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("string"),
            Self::Integer { signed: true } => f.write_str("integer"),
            Self::Integer { signed: false } => f.write_str("integer from 0"),
            Self::Number => f.write_str("number"),
            Self::Bool => f.write_str("boolean"),
            Self::Json { object: false } => f.write_str("any JSON"),
            Self::Json { object: true } | Self::Object { .. } => f.write_str("object"),
            Self::Constant(value) => write!(f, "the string {value:?}"),
            Self::Named(name) => f.write_str(name),
            Self::List(item) => write!(f, "array of {item}"),
            Self::Map(item) => write!(f, "map of {item}"),
            Self::OneOrMany(item) => write!(f, "{item} or array of {item}"),
            Self::Nullable(inner) => write!(f, "{inner} or null"),
        }
    }
}

impl Def {
    pub(crate) fn fields(&self) -> Option<&BTreeMap<String, Field>> {
        match self {
            Self::Struct(def) => Some(&def.fields),
            Self::Union(_) | Self::Enum(_) => None,
        }
    }

    pub(crate) fn member_names(&self) -> impl Iterator<Item = &str> {
        let members = match self {
            Self::Union(def) => &def.members[..],
            Self::Struct(_) | Self::Enum(_) => &[],
        };
        members.iter().filter_map(|member| member.ty.name())
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Struct(_) => "an object",
            Self::Union(_) => "one of several types",
            Self::Enum(_) => "one of several strings",
        }
    }
}

pub(crate) fn span(revisions: &[String], known: &Set) -> String {
    let all = revisions.len();
    let name = |index: usize| revisions[index].as_str();
    match (known.first(), known.last()) {
        _ if known.len() == all => "all revisions".to_owned(),
        (Some(&first), Some(&last)) if known.len() == last - first + 1 => match (first, last) {
            _ if first == last => format!("{} only", name(first)),
            _ if last + 1 == all => format!("since {}", name(first)),
            (0, _) => format!("until {}", name(last)),
            _ => format!("{} to {}", name(first), name(last)),
        },
        _ => known.iter().map(|&index| name(index)).join(", "),
    }
}

/// Lists the answers of the revisions: `string in 2025-06-18; array of string since 2025-11-25`.
pub(crate) fn by_revision<T: fmt::Display>(revisions: &[String], answers: &[(usize, T)]) -> String {
    let answers = answers
        .iter()
        .map(|(index, answer)| (*index, answer.to_string()));
    let answers: Vec<_> = answers.collect();
    let groups = answers.iter().map(|(_, answer)| answer).unique();
    let mut groups = groups.map(|answer| {
        let same = answers.iter().filter(|(_, other)| other == answer);
        let span = span(revisions, &same.map(|(index, _)| *index).collect());
        let span = match span.strip_suffix(" only") {
            Some(one) if revisions.last().is_some_and(|last| last == one) => format!("since {one}"),
            Some(one) => format!("in {one}"),
            None if span.starts_with(['s', 'u']) => span,
            None => format!("in {span}"),
        };
        format!("{answer} {span}")
    });
    groups.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_revision_has_its_words() {
        let revisions = ["2024-11-05", "2025-06-18", "2025-11-25"].map(str::to_owned);
        let list = |ty| Type::List(Box::new(ty));
        let types = [Type::Text, list(Type::Text), list(Type::Text)];
        assert_eq!(
            by_revision(&revisions, &types.iter().enumerate().collect::<Vec<_>>()),
            "string in 2024-11-05; array of string since 2025-06-18"
        );
        let types = [Type::Bool, list(Type::Text), Type::Bool];
        assert_eq!(
            by_revision(&revisions, &types.iter().enumerate().collect::<Vec<_>>()),
            "boolean in 2024-11-05, 2025-11-25; array of string in 2025-06-18"
        );
    }
}
