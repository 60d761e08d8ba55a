//! Protocol values with one wrong part. They are made from the table of types, so new revisions are
//! covered automatically.

use mcp_types::{FieldInfo, Revision, TypeInfo, VariantInfo};
use serde_json::{Map, Value, json};

/// A placeholder for a number that is too large for every Rust type.
const BEYOND: &str = "BEYOND";

/// A value with one wrong part.
pub struct Wrong {
    /// The path of the wrong part, such as `tools[0].name`.
    pub path: String,
    /// How the part was changed.
    pub fault: String,
    /// The whole value.
    pub json: String,
}

/// Returns a value of a kind, as the table of types names it, with all fields that exist in
/// `revision`.
pub fn sample(kind: &str, revision: Revision) -> Value {
    let kind = kind.trim_end_matches(['?', '+']);
    if let Some(item) = kind.strip_suffix("[]") {
        return match Revision::type_info(item) {
            Some(info) if is_union(info) => variants(info, revision)
                .map(|variant| of_variant(variant, revision))
                .collect(),
            _ => json!([sample(item, revision)]),
        };
    }
    if let Some(item) = kind.strip_suffix("{}").filter(|item| *item != "value") {
        return json!({"a": sample(item, revision)});
    }
    if let Some(constant) = kind.strip_prefix('\'') {
        return constant.trim_end_matches('\'').into();
    }
    match (kind, Revision::type_info(kind)) {
        (_, Some(info)) if is_union(info) => {
            let variant = variants(info, revision).next();
            of_variant(variant.expect("a union has variants"), revision)
        }
        (_, Some(info)) if !info.variants.is_empty() => {
            variants(info, revision).find_map(|it| it.value).into()
        }
        (_, Some(info)) => fields(info, revision)
            .map(|field| (field.name.to_owned(), sample(field.kind, revision)))
            .collect::<Map<_, _>>()
            .into(),
        ("boolean", _) => true.into(),
        ("number" | "integer" | "natural" | "limited", _) => 1.into(),
        ("object" | "value{}", _) => json!({"type": "object"}),
        _ => "x".into(),
    }
}

/// Returns all values of a type in `revision` with one part that is missing, of another kind, or
/// huge.
pub fn wrong(name: &str, revision: Revision) -> Vec<Wrong> {
    let whole = sample(name, revision);
    let mut places = Vec::new();
    collect(&whole, "", "", &mut places);
    let long = "x".repeat(4 << 10);
    let mut all = Vec::new();
    for (path, pointer) in places {
        let (parent, last) = pointer.rsplit_once('/').unwrap();
        let mut missing = whole.clone();
        match missing.pointer_mut(parent).unwrap() {
            Value::Object(members) => _ = members.remove(last),
            Value::Array(elements) => _ = elements.remove(last.parse().unwrap()),
            _ => unreachable!(),
        }
        let mut add = |fault: &str, value: Value| {
            all.push(Wrong {
                path: path.clone(),
                fault: fault.to_owned(),
                json: value.to_string().replace(&format!("\"{BEYOND}\""), "1e400"),
            });
        };
        add("missing", missing);
        let others = [json!(5), json!("y"), json!([7]), json!({"b": 7})];
        let others = others.into_iter().chain([json!(null), json!([])]);
        for other in others.chain([json!(BEYOND), json!(long)]) {
            let mut value = whole.clone();
            *value.pointer_mut(&pointer).unwrap() = other.clone();
            add(
                &other.to_string().chars().take(20).collect::<String>(),
                value,
            );
        }
    }
    all
}

fn collect(value: &Value, path: &str, pointer: &str, places: &mut Vec<(String, String)>) {
    let mut add = |path: String, pointer: String, value: &Value| {
        places.push((path.trim_start_matches('.').to_owned(), pointer.clone()));
        collect(value, &path, &pointer, places);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            let key = name.replace('~', "~0").replace('/', "~1");
            add(format!("{path}.{name}"), format!("{pointer}/{key}"), value);
        }),
        Value::Array(elements) => elements.iter().enumerate().for_each(|(index, value)| {
            add(
                format!("{path}[{index}]"),
                format!("{pointer}/{index}"),
                value,
            );
        }),
        _ => {}
    }
}

/// Returns the type of the parameters for a variant of a union of messages.
fn parameters(variant: &VariantInfo) -> Option<&'static str> {
    Some(Revision::method(variant.value?)?.types.0)
}

fn is_union(info: &TypeInfo) -> bool {
    let mut variants = info.variants.iter();
    variants.any(|variant| !variant.kind.is_empty() || parameters(variant).is_some())
}

fn of_variant(variant: &VariantInfo, revision: Revision) -> Value {
    match parameters(variant) {
        Some(name) => json!({"method": variant.value, "params": sample(name, revision)}),
        None => sample(variant.kind, revision),
    }
}

fn variants(info: &TypeInfo, revision: Revision) -> impl Iterator<Item = &'static VariantInfo> {
    let variants = info.variants.iter();
    variants.filter(move |variant| variant.revisions.contains(revision))
}

fn fields(info: &TypeInfo, revision: Revision) -> impl Iterator<Item = &'static FieldInfo> {
    let fields = info.fields.iter();
    fields.filter(move |field| field.revisions.contains(revision))
}
