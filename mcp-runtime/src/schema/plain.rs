//! Types with schemas that need no generator.

use std::any::TypeId;

use serde_json::{Map, Value};

/// A type that most arguments have. Its schema says nothing that its decoder does not enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    Boolean,
    Text,
    Number,
    Integer,
    /// An integer that is not negative.
    Natural,
}

impl Plain {
    /// The kind of `T`, if it is plain.
    pub(crate) fn of<T: 'static>() -> Option<Self> {
        let is_any = |known: &[TypeId]| known.contains(&TypeId::of::<T>());
        if is_any(&[TypeId::of::<bool>()]) {
            Some(Self::Boolean)
        } else if is_any(&[TypeId::of::<String>()]) {
            Some(Self::Text)
        } else if is_any(&[TypeId::of::<f32>(), TypeId::of::<f64>()]) {
            Some(Self::Number)
        } else if is_any(&[TypeId::of::<i32>(), TypeId::of::<i64>()]) {
            Some(Self::Integer)
        } else if is_any(&[TypeId::of::<u32>(), TypeId::of::<u64>()]) {
            Some(Self::Natural)
        } else {
            None
        }
    }

    /// The type, as JSON Schema calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Text => "string",
            Self::Number => "number",
            Self::Integer | Self::Natural => "integer",
        }
    }

    /// The schema.
    pub(crate) fn schema(self) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), self.name().into());
        if self == Self::Natural {
            schema.insert("minimum".to_owned(), 0.into());
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::Value;

    use super::Plain;
    use crate::schema::{describe, document, for_input};

    fn is_as_described<T: JsonSchema + 'static>() {
        let plain = Plain::of::<T>().unwrap();
        let described = document(describe::<T>, for_input());
        assert_eq!(Value::Object(plain.schema()), described);
    }

    #[test]
    fn schemars_would_say_the_same() {
        is_as_described::<bool>();
        is_as_described::<String>();
        is_as_described::<f32>();
        is_as_described::<f64>();
        is_as_described::<i32>();
        is_as_described::<i64>();
        is_as_described::<u32>();
        is_as_described::<u64>();
    }

    #[test]
    fn what_has_more_to_say_is_not_plain() {
        assert_eq!(Plain::of::<u8>(), None);
        assert_eq!(Plain::of::<char>(), None);
        assert_eq!(Plain::of::<Option<i64>>(), None);
    }
}
