//! Values that layers insert into a request.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The values of one request, by their types. Cloning is cheap. A value that is added to a clone
/// does not appear in the original.
#[derive(Clone, Default)]
pub(crate) struct Values(Option<Arc<Value>>);

struct Value {
    value: Box<dyn Any + Send + Sync>,
    before: Values,
}

impl Values {
    /// Adds a value. It hides an earlier value of the same type.
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        let value = Box::new(value);
        let before = std::mem::take(self);
        self.0 = Some(Arc::new(Value { value, before }));
    }

    /// Returns the newest value of a type.
    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        let mut next = self.0.as_ref();
        while let Some(entry) = next {
            if let Some(value) = entry.value.downcast_ref() {
                return Some(value);
            }
            next = entry.before.0.as_ref();
        }
        None
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn the_newest_value_of_a_type_counts_where_it_was_added() {
        let mut outer = Values::default();
        outer.insert(1_u8);
        outer.insert("text");
        let mut inner = outer.clone();
        inner.insert(2_u8);
        assert_eq!(inner.get::<u8>(), Some(&2));
        assert_eq!(inner.get::<&str>(), Some(&"text"));
        assert_eq!(outer.get::<u8>(), Some(&1));
        assert_eq!(outer.get::<u16>(), None);
    }
}
