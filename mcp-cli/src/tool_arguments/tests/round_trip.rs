//! Checks that any value which a schema allows can be written as words, and is read unchanged.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::{Map, Value, json};

use super::*;

/// A schema, a value that it allows, and the words for the value, each without the key, such as
/// `.a=1`.
#[derive(Clone, Debug)]
pub(super) struct Case {
    schema: Value,
    value: Value,
    words: Vec<String>,
    definitions: Map<String, Value>,
}

impl Case {
    fn new(schema: Value, value: Value, word: String) -> Self {
        let words = vec![word];
        let definitions = Map::new();
        Self {
            schema,
            value,
            words,
            definitions,
        }
    }

    /// A case whose value is written as JSON in a single word.
    fn json(schema: Value, value: Value) -> Self {
        let word = format!("={value}");
        Self::new(schema, value, word)
    }

    fn with(mut self, definitions: Map<String, Value>) -> Self {
        self.definitions.extend(definitions);
        self
    }

    pub(super) fn schema(self) -> (Value, Map<String, Value>) {
        (self.schema, self.definitions)
    }

    /// The only word, unless it could be read as a list.
    fn element(&self) -> Option<&String> {
        let [word] = &self.words[..] else {
            return None;
        };
        let text = word.strip_prefix(":=").or(word.strip_prefix('='))?;
        (!self.value.is_array() && !text.starts_with('[')).then_some(word)
    }
}

/// Strings, many of which look like numbers or other values.
fn strings() -> impl Strategy<Value = String> {
    let odd = [
        "", "5", "-1.50", "1e400", "true", "null", "{}", "[1]", "\"a\"", "a=b", " 7 ", "é", "@x",
    ];
    prop_oneof![
        select(odd.to_vec()).prop_map(str::to_owned),
        "[a-z0-9.:=]{0,5}"
    ]
}

/// Writes a string as it is, unless it would be read as the name of a file.
fn text_word(text: &str) -> String {
    if text.starts_with('@') {
        format!(":={}", json!(text))
    } else {
        format!("={text}")
    }
}

fn string() -> impl Strategy<Value = Case> {
    strings().prop_map(|it| Case::new(json!({"type": "string"}), json!(it), text_word(&it)))
}

fn of_kind(kind: &'static str) -> BoxedStrategy<Value> {
    match kind {
        "integer" => any::<i64>().prop_map(Value::from).boxed(),
        "number" => (-1e9..1e9).prop_map(Value::from).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "null" => Just(Value::Null).boxed(),
        _ => strings().prop_map(Value::from).boxed(),
    }
}

/// A value of one of several kinds, listed as types or as alternatives.
fn scalar() -> impl Strategy<Value = Case> {
    let all = vec!["integer", "boolean", "null", "string", "number"];
    let kinds = (subsequence(all, 1..4).prop_shuffle(), any::<Index>());
    let case = kinds.prop_flat_map(|(kinds, chosen)| {
        let kind = kinds[chosen.index(kinds.len())];
        (Just(kinds), Just(kind), of_kind(kind), 0..3_usize)
    });
    case.prop_map(|(kinds, kind, value, form)| {
        let each: Vec<_> = kinds.iter().map(|it| json!({"type": it})).collect();
        let schema = match form {
            0 => json!({"type": kinds}),
            1 => json!({"anyOf": each}),
            _ => json!({"oneOf": each}),
        };
        // If strings come before numbers, digits become a string; if they come after, a number.
        let comes_before = |it: &str, other| {
            let position = |kind| kinds.iter().position(|it| *it == kind);
            position(it).is_some_and(|it| Some(it) < position(other))
        };
        let looks_like_json = |text: &str| RawJson::from_text(text).is_ok();
        let word = match value.as_str() {
            None if kind != "null" && comes_before("string", kind) => format!(":={value}"),
            None => format!("={value}"),
            Some(text) if looks_like_json(text) && (kinds[0] != "string" || text == "null") => {
                format!(":={value}")
            }
            Some(text) => text_word(text),
        };
        Case::new(schema, value, word)
    })
}

/// One of the values of an enumeration, or a constant.
fn constant() -> impl Strategy<Value = Case> {
    let values = [json!("a"), json!("7"), json!(8), json!(true), json!(null)];
    let values = (subsequence(values.to_vec(), 1..5), any::<Index>());
    values.prop_map(|(values, chosen)| {
        let value = values[chosen.index(values.len())].clone();
        let schema = match &values[..] {
            [only] => json!({"const": only}),
            _ => json!({"enum": values}),
        };
        let word = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        Case::new(schema, value, format!("={word}"))
    })
}

fn list(case: BoxedStrategy<Case>) -> impl Strategy<Value = Case> {
    // All elements have the same value, because a case has only one.
    (case, 0..4_usize, any::<bool>()).prop_map(|(case, length, in_words)| {
        let schema = json!({"type": "array", "items": case.schema});
        let value = Value::from(vec![case.value.clone(); length]);
        let mut list = Case::json(schema, value).with(case.definitions.clone());
        let is_enough = |it: &&String| length > 1 || length == 1 && it.starts_with('=');
        if let Some(word) = case.element().filter(is_enough).filter(|_| in_words) {
            list.words = vec![word.clone(); length];
        }
        list
    })
}

fn tuple(case: BoxedStrategy<Case>) -> impl Strategy<Value = Case> {
    (vec(case, 1..4), any::<bool>()).prop_map(|(cases, in_words)| {
        let schemas: Vec<_> = cases.iter().map(|it| &it.schema).collect();
        let values = cases.iter().map(|it| it.value.clone()).collect();
        let schema = json!({"type": "array", "prefixItems": schemas, "items": false});
        let mut tuple = Case::json(schema, values);
        let words: Option<Vec<_>> = cases.iter().map(|it| it.element().cloned()).collect();
        if let Some(words) = words.filter(|it| in_words && it.len() > 1) {
            tuple.words = words;
        }
        let definitions = cases.into_iter().flat_map(|it| it.definitions);
        tuple.with(definitions.collect())
    })
}

/// The words for the members of an object, or a single word of JSON if `whole` is set.
fn of_members(schema: Value, members: &[(&str, Case)], whole: bool) -> Case {
    let values = members
        .iter()
        .map(|(name, it)| ((*name).to_owned(), it.value.clone()));
    let mut case = Case::json(schema, values.collect());
    if !whole && !members.is_empty() {
        let words = |(name, it): &(&str, Case)| {
            let words = it.words.clone().into_iter();
            let name = (*name).to_owned();
            words.map(move |word| format!(".{name}{word}"))
        };
        case.words = members.iter().flat_map(words).collect();
    }
    let definitions = members.iter().flat_map(|it| it.1.definitions.clone());
    case.with(definitions.collect())
}

fn map(case: BoxedStrategy<Case>) -> impl Strategy<Value = Case> {
    let names = subsequence(vec!["1", "22", "-3"], 0..3);
    (case, names, any::<bool>(), any::<bool>()).prop_map(|(case, names, by_pattern, whole)| {
        let schema = if by_pattern {
            json!({
                "type": "object",
                "patternProperties": {"^-?[0-9]+$": case.schema},
                "additionalProperties": false,
            })
        } else {
            json!({"type": "object", "additionalProperties": case.schema})
        };
        let members: Vec<_> = names.iter().map(|it| (*it, case.clone())).collect();
        of_members(schema, &members, whole).with(case.definitions.clone())
    })
}

const NAMES: [&str; 5] = ["a", "b_1", "c.d", "e/f", "ö x"];

/// An object, some of whose members are left out.
fn object(case: BoxedStrategy<Case>) -> impl Strategy<Value = Case> {
    let members = vec((case, any::<bool>()), 0..=NAMES.len());
    (members, any::<bool>(), any::<bool>()).prop_map(|(members, is_closed, whole)| {
        let members: Vec<_> = NAMES.into_iter().zip(members).collect();
        let schemas = members
            .iter()
            .map(|(name, it)| ((*name).to_owned(), it.0.schema.clone()));
        let schemas: Map<_, _> = schemas.collect();
        let given: Vec<_> = members.iter().filter(|it| it.1.1).collect();
        let required: Vec<_> = given.iter().map(|it| it.0).collect();
        let mut schema = json!({"type": "object", "properties": schemas, "required": required});
        if is_closed {
            schema["additionalProperties"] = json!(false);
        }
        let given: Vec<_> = given
            .into_iter()
            .map(|(name, it)| (*name, it.0.clone()))
            .collect();
        let definitions = members.iter().flat_map(|it| it.1.0.definitions.clone());
        of_members(schema, &given, whole).with(definitions.collect())
    })
}

/// One of several objects with the same members, distinguished by a constant that may come last.
fn tagged(case: BoxedStrategy<Case>) -> impl Strategy<Value = Case> {
    let tags = prop_oneof![
        Just(["circle", "square", "path"].map(Value::from)),
        Just(["1", "2", "03"].map(Value::from)),
        Just([1, 2, 3].map(Value::from)),
    ];
    let cases = [case.clone(), case.clone(), case];
    let choice = (tags, cases, any::<Index>(), any::<bool>(), 0..3_usize);
    (choice, any::<bool>()).prop_map(|((tags, cases, chosen, is_last, form), whole)| {
        let of = |tag: &Value, case: &Case| {
            let properties = json!({"kind": {"const": tag}, "c.d": case.schema});
            json!({"type": "object", "properties": properties, "required": ["kind", "c.d"]})
        };
        let schemas: Vec<_> = tags.iter().zip(&cases).map(|it| of(it.0, it.1)).collect();
        let schema = match form {
            0 => json!({"anyOf": schemas}),
            1 => json!({"type": "object", "oneOf": schemas}),
            _ => json!({"allOf": [{"anyOf": schemas}]}),
        };
        let index = chosen.index(3);
        let tag = &tags[index];
        let word = tag.as_str().map_or_else(|| tag.to_string(), str::to_owned);
        let tag = Case::new(Value::Null, tag.clone(), format!("={word}"));
        let mut inner = cases[index].clone();
        if inner.words.iter().any(|it| it.starts_with('.')) {
            // Another alternative may have other names at this place.
            inner.words = vec![format!("={}", inner.value)];
        }
        let mut members = [("kind", tag), ("c.d", inner)];
        if is_last {
            members.reverse();
        }
        let definitions = cases.iter().flat_map(|it| it.definitions.clone());
        of_members(schema, &members, whole).with(definitions.collect())
    })
}

/// A case wrapped in a reference, in an `allOf`, or in a union with null.
fn wrapped(case: BoxedStrategy<Case>) -> impl Strategy<Value = Case> {
    (case, 0..4_usize).prop_map(|(mut case, form)| {
        // In a union, strings that look like other values are ambiguous, and so is null in a list.
        let is_json = |it: &String| {
            let text = it.strip_prefix('=');
            let is_json = text.is_none_or(|it| RawJson::from_text(it).is_ok());
            case.value.is_string() && is_json || case.value.is_array() && text == Some("null")
        };
        case.schema = match form {
            0 if !case.words.iter().any(is_json) => {
                json!({"anyOf": [case.schema, {"type": "null"}]})
            }
            1 => json!({"allOf": [{"description": "x"}, case.schema]}),
            _ => {
                let name = format!("%41 {}", case.schema);
                let pointer = name.replace('~', "~0").replace('/', "~1");
                let pointer = percent_encoding::utf8_percent_encode(
                    &pointer,
                    percent_encoding::NON_ALPHANUMERIC,
                );
                let reference = json!({"$ref": format!("#/$defs/{pointer}")});
                case.definitions.insert(name, case.schema);
                reference
            }
        };
        case
    })
}

fn case(depth: usize) -> BoxedStrategy<Case> {
    let leaf = prop_oneof![string(), scalar(), constant()].boxed();
    if depth == 0 {
        return leaf;
    }
    let inner = case(depth - 1);
    prop_oneof![
        2 => leaf,
        1 => list(inner.clone()),
        1 => tuple(inner.clone()),
        1 => map(inner.clone()),
        1 => object(inner.clone()),
        1 => tagged(inner.clone()),
        2 => wrapped(inner),
    ]
    .boxed()
}

/// The arguments of a tool: an object, or one of several objects.
pub(super) fn arguments() -> impl Strategy<Value = Case> {
    let object = object(case(2)).boxed();
    let objects = prop_oneof![2 => object.clone(), 1 => tagged(case(2)), 1 => wrapped(object)];
    objects.prop_filter("an object in words", |it| {
        it.words.iter().all(|it| it.starts_with('.'))
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 192,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn what_is_written_arrives(mut case in arguments()) {
        case.schema["$defs"] = Value::Object(case.definitions);
        let words: Vec<_> = case.words.iter().map(|it| it[1..].to_owned()).collect();
        let read = read(&Tool::new("t", case.schema.clone()), &words, None);
        let read = read.map_err(|failure| TestCaseError::fail(failure.message))?;
        prop_assert_eq!(read.parse::<Value>().unwrap(), case.value);
    }
}
