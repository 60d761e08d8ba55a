//! What stands in a field until its value has been read.

use std::borrow::Cow;

use crate::{JsonObject, OneOrMany, OrderedMap, RawJson, RawJsonRef, RequestId};

/// A type of which there is a value that takes no effort, to be replaced by one that is read.
///
/// It says nothing: an object that lacks a required field is refused, and nobody gets to see it.
pub(crate) trait Vacant: Sized {
    fn vacant() -> Self;
}

macro_rules! by_default {
    ($($type:ty)*) => {
        $(impl Vacant for $type {
            fn vacant() -> Self {
                Self::default()
            }
        })*
    };
}

by_default! { bool i64 u64 f64 String Cow<'_, str> JsonObject }

impl<T> Vacant for Option<T> {
    fn vacant() -> Self {
        None
    }
}

impl<T> Vacant for Vec<T> {
    fn vacant() -> Self {
        Self::new()
    }
}

impl<T> Vacant for OrderedMap<T> {
    fn vacant() -> Self {
        Self::new()
    }
}

impl<T> Vacant for OneOrMany<T> {
    fn vacant() -> Self {
        Self::Many(Vec::new())
    }
}

impl<T: Vacant> Vacant for Box<T> {
    fn vacant() -> Self {
        Self::new(T::vacant())
    }
}

impl Vacant for RequestId {
    fn vacant() -> Self {
        Self::Number(0)
    }
}

impl Vacant for RawJsonRef<'_> {
    fn vacant() -> Self {
        RawJsonRef::EMPTY_OBJECT
    }
}

impl Vacant for RawJson {
    fn vacant() -> Self {
        Self::of_nothing()
    }
}
