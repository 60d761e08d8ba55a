//! The token of a request, and the proof that the sender possesses the token's key.

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use http::request::Parts;

use super::refusal::Refusal;
use crate::limits::server::MAX_TOKEN_BYTES;

const DPOP: HeaderName = HeaderName::from_static("dpop");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Bearer,
    Dpop,
}

#[derive(Debug)]
pub(super) struct Credentials {
    pub(super) scheme: Scheme,
    token: HeaderValue,
    pub(super) proofs: Vec<HeaderValue>,
}

impl Credentials {
    /// Removes the credentials from a request, so that handlers can't see the token or pass it on.
    pub(super) fn take(request: &mut Parts) -> Result<Self, Refusal> {
        let authorizations = remove(&mut request.headers, &AUTHORIZATION);
        let proofs = remove(&mut request.headers, &DPOP);
        let query = request.uri.query().unwrap_or_default();
        let mut parameters = form_urlencoded::parse(query.as_bytes());
        if parameters.any(|(name, _)| name == "access_token") {
            let text = "tokens in the URL are not accepted: send the token in the header \
                        `Authorization`";
            return Err(Refusal::Malformed(text));
        }
        let mut authorizations = authorizations.into_iter();
        let Some(token) = authorizations.next() else {
            return Err(Refusal::NoToken);
        };
        if authorizations.next().is_some() {
            return Err(Refusal::Malformed("there are two headers `Authorization`"));
        }
        let credentials = Self {
            scheme: scheme(&token).ok_or(Refusal::NoToken)?,
            token,
            proofs,
        };
        if credentials.token().is_empty() {
            return Err(Refusal::NoToken);
        }
        Ok(credentials)
    }

    /// Returns the token.
    ///
    /// # Errors
    ///
    /// Fails if the token is too long or contains characters that tokens can't have (RFC 6750
    /// §2.1).
    pub(super) fn checked_token(&self) -> Result<&str, Refusal> {
        let token = self.token();
        let may_have = |it: &u8| it.is_ascii_alphanumeric() || b"-._~+/=".contains(it);
        if token.len() > MAX_TOKEN_BYTES || !token.iter().all(may_have) {
            return Err(Refusal::Token("the token is malformed".into()));
        }
        Ok(str::from_utf8(token).unwrap_or_default())
    }

    fn token(&self) -> &[u8] {
        let value = self.token.as_bytes();
        let end = value.iter().position(|it| *it == b' ');
        value[end.unwrap_or(value.len())..].trim_ascii()
    }
}

/// The scheme of `SCHEME TOKEN`, ignoring case.
fn scheme(value: &HeaderValue) -> Option<Scheme> {
    let scheme = value.as_bytes().split(|it| *it == b' ').next()?;
    let all = [(Scheme::Bearer, "Bearer"), (Scheme::Dpop, "DPoP")];
    let mut all = all.into_iter();
    let found = all.find(|(_, name)| scheme.eq_ignore_ascii_case(name.as_bytes()));
    found.map(|(scheme, _)| scheme)
}

fn remove(headers: &mut HeaderMap, name: &HeaderName) -> Vec<HeaderValue> {
    let values = headers.get_all(name).iter().cloned().collect();
    headers.remove(name);
    values
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn tokens_are_removed_from_the_request() {
        for (value, scheme) in [
            ("Bearer abc", Scheme::Bearer),
            ("bearer  abc ", Scheme::Bearer),
            ("DPOP abc", Scheme::Dpop),
        ] {
            let mut parts = parts(
                "/mcp",
                &[("authorization", value), ("dpop", "p"), ("a", "b")],
            );
            let credentials = Credentials::take(&mut parts).unwrap();
            assert_eq!(credentials.checked_token(), Ok("abc"), "{value}");
            assert_eq!(credentials.scheme, scheme);
            assert_eq!(credentials.proofs, ["p"]);
            assert_eq!(parts.headers.len(), 1);
        }
    }

    #[test]
    fn requests_without_a_token_have_none() {
        for headers in [
            &[][..],
            &[("authorization", "Basic YTpi")],
            &[("authorization", "Bearer")],
            &[("authorization", "Bearer  ")],
            &[("dpop", "proof")],
        ] {
            let mut parts = parts("/mcp", headers);
            assert_eq!(Credentials::take(&mut parts).unwrap_err(), Refusal::NoToken);
            assert!(parts.headers.is_empty());
        }
    }

    #[test]
    fn two_tokens_and_tokens_in_the_query_are_malformed() {
        let twice = [("authorization", "Bearer a"), ("authorization", "Bearer a")];
        for (uri, headers) in [
            ("/mcp", &twice[..]),
            ("/mcp?access_token=a", &[]),
            ("/mcp?b=c&access%5Ftoken=a", &twice[..1]),
        ] {
            let mut parts = parts(uri, headers);
            let found = Credentials::take(&mut parts).unwrap_err();
            assert!(matches!(found, Refusal::Malformed(_)), "{uri}");
            assert!(parts.headers.is_empty(), "{uri}");
        }
    }

    #[test]
    fn tokens_of_other_characters_are_malformed() {
        let long = "a".repeat(MAX_TOKEN_BYTES + 1);
        for token in ["a b", "a\"b", "\u{e9}", &long] {
            let value = format!("Bearer {token}");
            let mut parts = parts("/mcp", &[("authorization", &value)]);
            let credentials = Credentials::take(&mut parts).unwrap();
            assert!(credentials.checked_token().is_err(), "{token}");
        }
    }
}
