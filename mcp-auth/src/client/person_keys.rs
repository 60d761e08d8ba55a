//! Keys in a token store.

/// The keys of what belongs to one person, or to all who are not told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonKeys<'a>(pub(crate) Option<&'a str>);

impl PersonKeys<'_> {
    /// The key of the tokens of an issuer for a resource.
    pub(crate) fn tokens(self, issuer: &str, resource: &str) -> String {
        self.of(format!("tokens {issuer} {resource}"))
    }

    /// The key of the issuer and the resource of the server at a URL.
    pub(crate) fn binding(self, server: &str) -> String {
        self.of(format!("server {server}"))
    }

    /// The key of the URLs of all servers that there are tokens for.
    pub(crate) fn servers(self) -> String {
        self.of("servers".to_owned())
    }

    /// No URL has a space in it, so that no two keys are the same.
    fn of(self, key: String) -> String {
        match self.0 {
            Some(person) => format!("{key} {person}"),
            None => key,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_keys_of_persons_differ() {
        let mut keys = BTreeSet::new();
        for person in [None, Some(""), Some("ann"), Some("https://mcp ann")] {
            let person = PersonKeys(person);
            keys.insert(person.tokens("https://as", "https://mcp"));
            keys.insert(person.binding("https://mcp"));
            keys.insert(person.servers());
        }
        assert_eq!(keys.len(), 12, "{keys:?}");
    }
}
