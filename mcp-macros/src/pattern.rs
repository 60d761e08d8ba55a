//! Checks the regular expressions in attributes, so that a mistake is found before the server runs.

#[cfg(feature = "pattern")]
pub(crate) fn fault(pattern: &str) -> Option<String> {
    let compiled = regex_lite::Regex::new(pattern);
    compiled.err().map(|error| error.to_string())
}

/// Always `None`: without the feature, patterns are checked by the runtime only.
#[cfg(not(feature = "pattern"))]
pub(crate) fn fault(_: &str) -> Option<String> {
    None
}

#[cfg(all(test, feature = "pattern"))]
mod tests {
    use super::fault;

    #[test]
    fn only_invalid_regular_expressions_have_a_fault() {
        assert_eq!(fault("^[a-z]+(-[0-9]{2,4})?$"), None);
        for pattern in ["[a-z", "(", "a{2", "(?=a)", r"\1"] {
            assert!(fault(pattern).is_some(), "{pattern}");
        }
    }
}
