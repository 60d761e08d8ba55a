//! Regular expressions, compiled here once so that the server need not find out that they are none.

use regex_lite::Regex;

/// The fault of `pattern`.
pub(crate) fn fault(pattern: &str) -> Option<String> {
    Regex::new(pattern).err().map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn only_what_is_no_regular_expression_has_a_fault() {
        assert_eq!(fault("^[a-z]+(-[0-9]{2,4})?$"), None);
        for pattern in ["[a-z", "(", "a{2", "(?=a)", r"\1"] {
            assert!(fault(pattern).is_some(), "{pattern}");
        }
    }
}
