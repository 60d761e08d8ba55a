//! A map that keeps its order.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::json::{Decode, Encode, Encoder, Reader, entries};

/// A small map by name, in the order in which it was filled or read.
///
/// Looking something up goes through all entries: it is for what a person looks at as a whole, such
/// as the fields of a form.
///
/// ```
/// use mcp_types::OrderedMap;
///
/// let map: OrderedMap<u8> = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
/// assert_eq!(map["a"], 2);
/// assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a"]);
/// assert_eq!(serde_json::to_string(&map).unwrap(), r#"{"b":1,"a":2}"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OrderedMap<T>(Vec<(String, T)>);

impl<T> OrderedMap<T> {
    /// A map without entries.
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is found under `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&T> {
        self.iter().find(|(known, _)| *known == key).map(|it| it.1)
    }

    /// Puts `value` under `key`: in the place of what was there, which is returned, else at the end.
    pub fn insert(&mut self, key: impl Into<String>, value: T) -> Option<T> {
        let key = key.into();
        if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| *known == key) {
            return Some(std::mem::replace(known, value));
        }
        self.0.push((key, value));
        None
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    /// The names in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.iter().map(|(_, value)| value)
    }

    /// The values in order, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Puts entries with these names first, in this order; the others follow as they stood.
    pub fn sort_by_names(&mut self, names: &[&str]) {
        let place = |key: &str| names.iter().position(|name| *name == key);
        let last = names.len();
        self.0.sort_by_key(|(key, _)| place(key).unwrap_or(last));
    }
}

impl<T> Default for OrderedMap<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Index<&str> for OrderedMap<T> {
    type Output = T;

    /// What is found under `key`.
    ///
    /// # Panics
    ///
    /// When there is nothing.
    fn index(&self, key: &str) -> &T {
        match self.get(key) {
            Some(value) => value,
            None => panic!("the map has no entry `{key}`"),
        }
    }
}

impl<T> FromIterator<(String, T)> for OrderedMap<T> {
    /// The last entry of a name counts.
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<T> IntoIterator for OrderedMap<T> {
    type Item = (String, T);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T: Serialize> Serialize for OrderedMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<T: Encode> Encode for OrderedMap<T> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        let mut object = to.object();
        for (name, value) in self.iter() {
            object.entry(name, value);
        }
        object.end();
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrderedMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = OrderedMap<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut map = OrderedMap::new();
        while let Some((key, value)) = access.next_entry::<String, T>()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for OrderedMap<T> {
    fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
        let mut map = Self::new();
        entries(reader, |name, reader| {
            map.insert(name, T::decode(reader)?);
            Ok(())
        })?;
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::OrderedMap;

    #[test]
    fn what_is_replaced_keeps_its_place() {
        let mut map: OrderedMap<u8> = serde_json::from_str(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        assert_eq!(map.iter().collect::<Vec<_>>(), [("b", &3), ("a", &2)]);
        assert_eq!(map.insert("b", 4), Some(3));
        assert_eq!(map.insert("c", 5), None);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a", "c"]);
    }

    #[test]
    fn named_entries_come_first() {
        let entries = ["x", "b", "a", "y"].map(|key| (key.to_owned(), ()));
        let mut map: OrderedMap<()> = entries.into_iter().collect();
        map.sort_by_names(&["a", "b"]);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b", "x", "y"]);
    }
}
