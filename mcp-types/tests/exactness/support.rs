//! What the generated strategies are made of.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;

pub(crate) use mcp_types::*;
pub(crate) use proptest::option;
pub(crate) use proptest::prelude::{BoxedStrategy, Just, Strategy, any};
pub(crate) use proptest::sample::select;
use proptest::strategy::Union;

/// A known mistake of published schemas.
pub(crate) struct Repair {
    /// The revisions that have it.
    pub(crate) revisions: &'static [&'static str],
    /// JSON pointer into the definitions.
    pub(crate) at: &'static str,
    /// The members to set there, as JSON.
    pub(crate) set: &'static str,
}

/// One type, and where each revision's schema has it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) at: &'static [(Revision, &'static str)],
    /// Values made to conform to each revision of `at`, in that order; `None` where a value has
    /// no nearest one in the revision.
    pub(crate) conformed: Box<dyn Fn() -> BoxedStrategy<Vec<Option<Value>>>>,
    /// Decodes and encodes.
    pub(crate) through: fn(&Value) -> serde_json::Result<Value>,
}

impl Case {
    pub(crate) fn new<T>(
        name: &'static str,
        at: &'static [(Revision, &'static str)],
        strategy: fn() -> BoxedStrategy<T>,
        conform: fn(&mut T, Revision) -> bool,
    ) -> Self
    where
        T: Clone + Debug + Serialize + DeserializeOwned + 'static,
    {
        let conformed = move || {
            let each = move |value: T| {
                let each = at.iter().map(|(revision, _)| {
                    let mut value = value.clone();
                    let fits = conform(&mut value, *revision);
                    fits.then(|| serde_json::to_value(&value).unwrap())
                });
                each.collect()
            };
            strategy().prop_map(each).boxed()
        };
        Self {
            name,
            at,
            conformed: Box::new(conformed),
            through: |json| {
                let value: T = serde_json::from_str(&json.to_string())?;
                let encoded = serde_json::to_string(&value)?;
                let json: Value = serde_json::from_str(&encoded)?;
                assert_eq!(serde_json::to_value(&value)?, json);
                Ok(json)
            },
        }
    }
}

/// Adds optional fields to a strategy for structs.
pub(crate) trait With<T> {
    /// With a field that is there or not.
    fn with<F: Debug + 'static>(
        self,
        field: BoxedStrategy<F>,
        set: fn(&mut T, Option<F>),
    ) -> BoxedStrategy<T>;
}

impl<T: Debug + 'static> With<T> for BoxedStrategy<T> {
    fn with<F: Debug + 'static>(
        self,
        field: BoxedStrategy<F>,
        set: fn(&mut T, Option<F>),
    ) -> BoxedStrategy<T> {
        let both = (self, option::weighted(0.3, field));
        both.prop_map(move |(mut all, field)| {
            set(&mut all, field);
            all
        })
        .boxed()
    }
}

pub(crate) fn text() -> BoxedStrategy<String> {
    select(vec!["", "a", "file:///x", "text/plain", "\"\\\n\u{1F980}"])
        .prop_map(str::to_owned)
        .boxed()
}

/// Each of the strategies now and then.
pub(crate) fn one_of<T: Debug + 'static, const N: usize>(
    strategies: [BoxedStrategy<T>; N],
) -> BoxedStrategy<T> {
    Union::new(strategies).boxed()
}

pub(crate) fn flag() -> BoxedStrategy<bool> {
    any::<bool>().boxed()
}

pub(crate) fn signed() -> BoxedStrategy<i128> {
    let far = [i64::MIN.into(), u64::MAX.into(), 10_i128.pow(20)];
    one_of([
        any::<i32>().prop_map(i128::from).boxed(),
        select(far.to_vec()).boxed(),
    ])
}

pub(crate) fn unsigned() -> BoxedStrategy<u64> {
    one_of([
        any::<u32>().prop_map(u64::from).boxed(),
        Just(u64::MAX).boxed(),
    ])
}

pub(crate) fn number() -> BoxedStrategy<f64> {
    select(vec![0.0, -3.0, 0.5, 7.25, 1e300, f64::INFINITY, f64::NAN]).boxed()
}

pub(crate) fn any_request_id() -> BoxedStrategy<RequestId> {
    one_of([
        any::<i64>().prop_map(RequestId::from).boxed(),
        text().prop_map(RequestId::from).boxed(),
    ])
}

pub(crate) fn any_progress_token() -> BoxedStrategy<ProgressToken> {
    any_request_id()
}

/// Objects that are schemas as well, so that they fit wherever text is kept.
pub(crate) fn raw_object() -> BoxedStrategy<RawJson> {
    let objects = [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    ];
    select(objects.to_vec()).prop_map(RawJson::from).boxed()
}

pub(crate) fn raw_json() -> BoxedStrategy<RawJson> {
    let others = [json!([1, null]), json!("text"), json!(0.5)];
    one_of([
        raw_object(),
        select(others.to_vec()).prop_map(RawJson::from).boxed(),
    ])
}

pub(crate) fn object() -> BoxedStrategy<JsonObject> {
    let objects = [
        json!({}),
        json!({"a": {"b": [1, null, 0.5, true, "c"]}, "org.example/d": 1}),
    ];
    let objects = objects.map(|object| object.as_object().unwrap().clone());
    select(objects.to_vec()).boxed()
}

/// Fields that no schema names.
pub(crate) fn extra() -> BoxedStrategy<JsonObject> {
    object()
}

/// Something of a kind that no schema names.
pub(crate) fn unheard_of() -> BoxedStrategy<RawJson> {
    let json = json!({"type": "unheard-of", "mode": "unheard-of", "method": "unheard/of"});
    Just(RawJson::from(json)).boxed()
}

pub(crate) fn list<T: Debug + 'static>(item: BoxedStrategy<T>) -> BoxedStrategy<Vec<T>> {
    proptest::collection::vec(item, 0..3).boxed()
}

pub(crate) fn map<T: Debug + 'static>(item: BoxedStrategy<T>) -> BoxedStrategy<OrderedMap<T>> {
    let entries = proptest::collection::vec((text(), item), 0..3);
    entries.prop_map(OrderedMap::from_iter).boxed()
}

pub(crate) fn one_or_many<T: Clone + Debug + 'static>(
    item: BoxedStrategy<T>,
) -> BoxedStrategy<OneOrMany<T>> {
    let one = item.clone().prop_map(OneOrMany::One).boxed();
    one_of([one, list(item).prop_map(OneOrMany::Many).boxed()])
}
