//! Challenges in the `WWW-Authenticate` header (RFC 9110 §11.6.1).

mod parser;

use http::HeaderMap;
use http::header::{HeaderValue, WWW_AUTHENTICATE};
use parser::Rest;
use std::fmt;

/// A challenge in a 401 or 403 response: a scheme with parameters or with a token68.
///
/// ```
/// use mcp_auth::challenge::Challenge;
///
/// let sent = Challenge::bearer()
///     .with_resource_metadata("https://mcp.example.com/.well-known/oauth-protected-resource/mcp")
///     .with_scope("files:read files:write");
/// let received = Challenge::parse(&sent.to_string());
/// assert_eq!(received, [sent]);
/// assert_eq!(received[0].scope(), Some("files:read files:write"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// A token (RFC 9110 §5.6.2).
    scheme: String,
    token68: Option<String>,
    /// Names and values in the order of the header. The names are tokens.
    parameters: Vec<(String, String)>,
}

impl Challenge {
    /// Parses the challenges of all `WWW-Authenticate` headers, in order.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Vec<Self> {
        let values = headers.get_all(WWW_AUTHENTICATE).iter();
        let texts = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
        texts.flat_map(|text| Self::parse(&text)).collect()
    }

    /// Parses the challenges of one header value.
    ///
    /// Invalid parts are skipped. A value that should be quoted but is not ends at the next comma
    /// or space, so `scope=files:read` is understood.
    #[must_use]
    pub fn parse(value: &str) -> Vec<Self> {
        let mut challenges = Vec::new();
        let mut rest = Rest(value);
        loop {
            rest.skip_separators();
            if rest.0.is_empty() {
                return challenges;
            }
            match rest.challenge() {
                Some(challenge) => challenges.push(challenge),
                None => rest.skip_element(),
            }
        }
    }

    /// Creates a `Bearer` challenge (RFC 6750 §3) without parameters.
    #[must_use]
    pub fn bearer() -> Self {
        Self::of_scheme("Bearer")
    }

    /// Creates a `DPoP` challenge (RFC 9449 §7.1) without parameters.
    #[must_use]
    pub fn dpop() -> Self {
        Self::of_scheme("DPoP")
    }

    fn of_scheme(scheme: &str) -> Self {
        Self {
            scheme: scheme.to_owned(),
            token68: None,
            parameters: Vec::new(),
        }
    }

    /// Adds `realm`, the name of the protection space (RFC 9110 §11.5).
    #[must_use]
    pub fn with_realm(self, name: impl Into<String>) -> Self {
        self.with("realm", name)
    }

    /// Adds `resource_metadata`, the URL of the resource's metadata (RFC 9728 §5.1).
    #[must_use]
    pub fn with_resource_metadata(self, url: impl Into<String>) -> Self {
        self.with("resource_metadata", url)
    }

    /// Adds `scope`, the required scopes separated by spaces.
    #[must_use]
    pub fn with_scope(self, scope: impl Into<String>) -> Self {
        self.with("scope", scope)
    }

    /// Adds `error`, a code of RFC 6750 §3.1 such as `invalid_token`.
    #[must_use]
    pub fn with_error(self, code: impl Into<String>) -> Self {
        self.with("error", code)
    }

    /// Adds `error_description`, an explanation for developers.
    #[must_use]
    pub fn with_error_description(self, text: impl Into<String>) -> Self {
        self.with("error_description", text)
    }

    /// Adds `algs`, the accepted algorithms for proofs separated by spaces (RFC 9449 §7.1).
    #[must_use]
    pub fn with_algorithms(self, names: impl Into<String>) -> Self {
        self.with("algs", names)
    }

    /// Adds a parameter. Control characters, which are not allowed in headers, become spaces.
    fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        let value = value.into().replace(|it: char| it.is_ascii_control(), " ");
        self.parameters.push((name.to_owned(), value));
        self
    }

    /// The scheme as it was written.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Returns true if the scheme is `name`, ignoring case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(name)
    }

    /// The token68 of a scheme that has no parameters, such as `Negotiate`.
    #[must_use]
    pub fn token68(&self) -> Option<&str> {
        self.token68.as_deref()
    }

    /// The first parameter with this name, ignoring case.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// `resource_metadata`, the URL of the resource's metadata. The URL is not checked.
    #[must_use]
    pub fn resource_metadata(&self) -> Option<&str> {
        self.parameter("resource_metadata")
    }

    /// `scope`, the required scopes separated by spaces.
    #[must_use]
    pub fn scope(&self) -> Option<&str> {
        self.parameter("scope")
    }

    /// `error`, a code such as `insufficient_scope`.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.parameter("error")
    }

    /// `error_description`, an explanation for developers.
    #[must_use]
    pub fn error_description(&self) -> Option<&str> {
        self.parameter("error_description")
    }

    /// The challenge as a header value.
    #[must_use]
    pub fn to_header_value(&self) -> HeaderValue {
        // `Display` writes only tokens and quoted strings without control characters.
        let value = HeaderValue::try_from(self.to_string());
        value.unwrap_or_else(|_| HeaderValue::from_static("Bearer"))
    }
}

/// Formats the challenge as in a header, with quoted parameter values.
impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scheme)?;
        if let Some(token68) = &self.token68 {
            return write!(f, " {token68}");
        }
        for (at, (name, value)) in self.parameters.iter().enumerate() {
            let separator = if at == 0 { " " } else { ", " };
            write!(f, "{separator}{name}=\"")?;
            for it in value.chars() {
                if matches!(it, '"' | '\\') {
                    f.write_str("\\")?;
                }
                write!(f, "{it}")?;
            }
            f.write_str("\"")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The challenges in a short notation: `Scheme name=value …`.
    fn parsed(value: &str) -> Vec<String> {
        let challenges = Challenge::parse(value);
        let short = challenges.iter().map(|it| {
            let mut short = it.scheme.clone();
            if let Some(text) = &it.token68 {
                short += &format!(" {text}");
            }
            for (name, value) in &it.parameters {
                short += &format!(" {name}={value}");
            }
            short
        });
        short.collect()
    }

    #[test]
    fn the_examples_of_the_rfcs_are_parsed() {
        // The example of RFC 9110 §11.6.1.
        assert_eq!(
            parsed(
                r#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
            ),
            [
                "Basic realm=simple",
                r#"Newauth realm=apps type=1 title=Login to "apps""#
            ]
        );
        // The example of RFC 6750 §3.
        assert_eq!(
            parsed(
                r#"Bearer realm="example", error="invalid_token", error_description="The access token expired""#
            ),
            ["Bearer realm=example error=invalid_token error_description=The access token expired"]
        );
        // The example of RFC 9449 §7.1.
        assert_eq!(
            parsed(r#"DPoP algs="ES256 PS256""#),
            ["DPoP algs=ES256 PS256"]
        );
    }

    #[test]
    fn schemes_stand_alone_or_with_a_token68() {
        assert_eq!(
            parsed("Negotiate, NTLM abc/+==, Basic a=b,Bearer"),
            ["Negotiate", "NTLM abc/+==", "Basic a=b", "Bearer"]
        );
        assert_eq!(parsed("Negotiate dG9rZW4="), ["Negotiate dG9rZW4="]);
        assert_eq!(parsed("Negotiate ,"), ["Negotiate"]);
    }

    #[test]
    fn empty_elements_and_white_space_are_passed_over() {
        assert_eq!(
            parsed(" ,, Bearer  scope = \"a\" ,\t, error =\tb,, , DPoP , "),
            ["Bearer scope=a error=b", "DPoP"]
        );
    }

    #[test]
    fn commas_and_schemes_in_quotes_are_text() {
        assert_eq!(
            parsed(r#"Bearer realm="a, Basic b=c""#),
            ["Bearer realm=a, Basic b=c"]
        );
    }

    #[test]
    fn values_that_should_be_quoted_are_understood() {
        assert_eq!(
            parsed("Bearer resource_metadata=https://a.example/x?y=z, scope=files:read"),
            ["Bearer resource_metadata=https://a.example/x?y=z scope=files:read"]
        );
        assert_eq!(
            parsed("Bearer error_description=The token expired, scope=\"a\""),
            ["Bearer error_description=The scope=a"]
        );
        assert_eq!(
            parsed("Bearer error=The token expired, DPoP"),
            ["Bearer error=The", "DPoP"]
        );
    }

    #[test]
    fn parts_that_are_not_a_challenge_are_passed_over() {
        assert_eq!(
            parsed(r#"=, "Basic", @ x, Bearer scope="a""#),
            ["Bearer scope=a"]
        );
        assert_eq!(parsed(r#"Bearer scope="a"#), ["Bearer scope=a"]);
        assert_eq!(parsed(r#"Bearer scope="a\"#), ["Bearer scope=a"]);
        assert!(parsed("").is_empty());
    }

    #[test]
    fn challenges_come_from_every_header() {
        let mut headers = HeaderMap::new();
        for value in [
            Challenge::bearer().with_scope("a"),
            Challenge::dpop().with_error("b"),
        ] {
            headers.append(WWW_AUTHENTICATE, value.to_header_value());
        }
        let challenges = Challenge::from_headers(&headers);
        assert!(challenges[0].is("bearer"));
        assert_eq!(challenges[0].scope(), Some("a"));
        assert!(challenges[1].is("dpop"));
        assert_eq!(challenges[1].error(), Some("b"));
    }

    #[test]
    fn names_are_found_in_any_case_and_the_first_counts() {
        let challenges = Challenge::parse("Bearer Scope=a, scope=b");
        assert_eq!(challenges[0].scope(), Some("a"));
    }

    #[test]
    fn a_value_can_not_leave_its_header() {
        let challenge = Challenge::bearer().with_error_description("a\r\nSet-Cookie: b\0");
        let value = challenge.to_header_value();
        assert_eq!(value, r#"Bearer error_description="a  Set-Cookie: b ""#);
    }

    proptest! {
        #[test]
        fn anything_is_parsed_without_a_panic(text: String, pieces in pieces()) {
            let _ = Challenge::parse(&text);
            let _ = Challenge::parse(&pieces);
        }

        #[test]
        fn what_is_written_is_parsed(challenges in prop::collection::vec(challenge(), 0..4)) {
            let written: Vec<_> = challenges.iter().map(ToString::to_string).collect();
            prop_assert_eq!(Challenge::parse(&written.join(", ")), challenges);
        }

        #[test]
        fn what_is_sent_is_received(challenge in challenge()) {
            let mut headers = HeaderMap::new();
            headers.append(WWW_AUTHENTICATE, challenge.to_header_value());
            prop_assert_eq!(Challenge::from_headers(&headers), [challenge]);
        }
    }

    /// Strings assembled from pieces that mean something to the parser.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "Bearer",
            "a",
            "=",
            "==",
            "\"",
            "\\",
            ",",
            " ",
            "\t",
            "é",
            "/",
            "scope=\"x\"",
        ]);
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn challenge() -> impl Strategy<Value = Challenge> {
        let token = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}";
        let value = r#"[\PC"\\=, ]{0,12}"#;
        let parameters = prop::collection::vec((token, value), 0..4);
        let token68 = prop::option::of("[A-Za-z0-9._~+/-]{1,8}={0,2}");
        (token, token68, parameters).prop_map(|(scheme, token68, parameters)| Challenge {
            scheme,
            parameters: if token68.is_some() {
                Vec::new()
            } else {
                parameters
            },
            token68,
        })
    }
}
