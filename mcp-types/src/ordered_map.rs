//! A map that keeps its order.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::json::{Decode, Encode, Encoder, Reader, entries};

/// A map by name, in the order in which it was filled or read.
///
/// Looking something up goes through all entries: what the protocol keeps in maps is small, such as
/// the fields of a form or the arguments of a prompt.
///
/// ```
/// use mcp_types::OrderedMap;
///
/// let map: OrderedMap<u8> = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
/// assert_eq!(map["a"], 2);
/// assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a"]);
/// assert_eq!(serde_json::to_string(&map).unwrap(), r#"{"b":1,"a":2}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
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
        let place = self.place(key)?;
        Some(&self.0[place].1)
    }

    /// What is found under `key`, to be changed.
    #[must_use]
    pub fn get_mut(&mut self, key: &str) -> Option<&mut T> {
        let place = self.place(key)?;
        Some(&mut self.0[place].1)
    }

    /// Whether something is found under `key`.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    fn place(&self, key: &str) -> Option<usize> {
        self.0.iter().position(|(known, _)| known == key)
    }

    /// Puts `value` under `key`: in the place of what was there, which is returned, else at the end.
    pub fn insert(&mut self, key: impl Into<String>, value: T) -> Option<T> {
        self.put(key.into(), value)
    }

    fn put(&mut self, key: String, value: T) -> Option<T> {
        if let Some(place) = self.place(&key) {
            return Some(std::mem::replace(&mut self.0[place].1, value));
        }
        self.0.push((key, value));
        None
    }

    /// Takes out what is found under `key`; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<T> {
        let place = self.place(key)?;
        Some(self.0.remove(place).1)
    }

    /// Keeps those entries of which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut T) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
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

    /// The values in order, without their names.
    pub fn into_values(self) -> impl Iterator<Item = T> {
        self.0.into_iter().map(|(_, value)| value)
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

impl<T> OrderedMap<T> {
    /// The last entry of a name counts, in the place of the first.
    fn of(mut entries: Vec<(String, T)>) -> Self {
        let names = entries.iter().map(|(name, _)| name.as_str());
        if let Some(firsts) = firsts(names.zip(0..).collect()) {
            for (place, first) in firsts.iter().enumerate() {
                entries.swap(*first, place);
            }
            let mut firsts = firsts.into_iter().enumerate();
            entries.retain(|_| firsts.next().is_some_and(|(place, first)| place == first));
        }
        Self(entries)
    }
}

/// For each name the place where it stands first; `None` if none stands twice.
///
/// They are sorted for that, since a peer may send an object of very many members.
fn firsts(mut names: Vec<(&str, usize)>) -> Option<Vec<usize>> {
    names.sort_unstable();
    if names.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        return None;
    }
    let mut firsts = vec![0; names.len()];
    for same in names.chunk_by(|one, next| one.0 == next.0) {
        for (_, place) in same {
            firsts[*place] = same[0].1;
        }
    }
    Some(firsts)
}

impl<T> FromIterator<(String, T)> for OrderedMap<T> {
    /// The last entry of a name counts, in the place of the first.
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Self::of(entries.into_iter().collect())
    }
}

impl<T> IntoIterator for OrderedMap<T> {
    type Item = (String, T);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a OrderedMap<T> {
    type Item = &'a (String, T);
    type IntoIter = std::slice::Iter<'a, (String, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
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
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(OrderedMap::of(entries))
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for OrderedMap<T> {
    fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
        let mut read = Vec::new();
        entries(reader, |name, reader| {
            read.push((name, T::decode(reader)?));
            Ok(())
        })?;
        Ok(Self::of(read))
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
    fn the_last_of_many_entries_of_a_name_stands_where_the_first_stood() {
        let names = ["c", "a", "c", "b", "a", "c"].into_iter().zip(0..);
        let map: OrderedMap<_> = names.map(|(name, it)| (name.to_owned(), it)).collect();
        assert_eq!(
            map.iter().collect::<Vec<_>>(),
            [("c", &5), ("a", &4), ("b", &3)]
        );
        let text = r#"{"c":0,"a":1,"c":2,"b":3,"a":4,"c":5}"#;
        assert_eq!(serde_json::from_str::<OrderedMap<i32>>(text).unwrap(), map);
    }

    #[test]
    fn entries_are_changed_and_taken_out_by_name() {
        let entries = ["a", "b", "c"].map(|key| (key.to_owned(), 1));
        let mut map: OrderedMap<u8> = entries.into_iter().collect();
        *map.get_mut("c").unwrap() += 1;
        assert_eq!(map.remove("a"), Some(1));
        assert_eq!(map.remove("a"), None);
        assert!(map.contains_key("b") && !map.contains_key("a"));
        map.retain(|key, value| key != "b" && *value == 2);
        assert_eq!(map.into_values().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn named_entries_come_first() {
        let entries = ["x", "b", "a", "y"].map(|key| (key.to_owned(), ()));
        let mut map: OrderedMap<()> = entries.into_iter().collect();
        map.sort_by_names(&["a", "b"]);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b", "x", "y"]);
    }
}
