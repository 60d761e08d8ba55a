//! Sets of scopes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Distinct scopes in the order in which they were named (RFC 6749 §3.3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(crate) struct Scopes(Vec<String>);

impl Scopes {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn contains(&self, scope: &str) -> bool {
        self.0.iter().any(|it| it == scope)
    }

    pub(crate) fn contains_all(&self, others: &Self) -> bool {
        others.0.iter().all(|it| self.contains(it))
    }

    pub(crate) fn add(&mut self, scope: &str) {
        if !self.contains(scope) {
            self.0.push(scope.to_owned());
        }
    }

    pub(crate) fn remove(&mut self, scope: &str) {
        self.0.retain(|it| it != scope);
    }

    /// Appends the scopes of `others` that are not yet included.
    pub(crate) fn union(mut self, others: &Self) -> Self {
        others.0.iter().for_each(|it| self.add(it));
        self
    }

    /// The value of the `scope` parameter; `None` if there are no scopes.
    pub(crate) fn parameter(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.to_string())
    }
}

impl<S: AsRef<str>> FromIterator<S> for Scopes {
    fn from_iter<I: IntoIterator<Item = S>>(scopes: I) -> Self {
        let mut all = Self::default();
        for scopes in scopes {
            let scopes = scopes.as_ref().split_ascii_whitespace();
            scopes.for_each(|it| all.add(it));
        }
        all
    }
}

impl From<&str> for Scopes {
    fn from(text: &str) -> Self {
        [text].into_iter().collect()
    }
}

impl From<String> for Scopes {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<Scopes> for String {
    fn from(scopes: Scopes) -> Self {
        scopes.to_string()
    }
}

/// Formats the scopes separated by spaces.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Scopes;

    #[test]
    fn a_union_keeps_the_order_and_each_scope_once() {
        let union = Scopes::from("b a  b").union(&"c a".into());
        assert_eq!(union.to_string(), "b a c");
        assert!(union.contains_all(&"a b".into()) && !union.contains_all(&"a d".into()));
        assert_eq!(Scopes::from(" ").parameter(), None);
        let json = serde_json::to_string(&union).unwrap();
        assert_eq!(serde_json::from_str::<Scopes>(&json).unwrap(), union);
    }
}
