//! The error for HTTP responses that are not MCP messages.

use std::fmt;
use std::time::Duration;

use mcp_types::ErrorObject;

use crate::limits::MAX_REDIRECTS;

/// An HTTP response that is not an MCP message, such as an error page, an empty body, a redirect
/// that was not followed, or a refusal before the message was read.
///
/// `Display` shows only the origin of the URL, because the path may be secret. The text of a
/// [`ConnectError`](crate::ConnectError) shows the whole [`url`](Self::url).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HttpError {
    /// The status code.
    pub status: u16,
    /// The URL that answered, without user information and query.
    pub url: String,
    /// The `Content-Type` of the response.
    pub content_type: Option<String>,
    /// The first 200 characters of the body, with control characters replaced by spaces. Do not
    /// trust them: they may be from a gateway or an attacker.
    pub excerpt: String,
    /// The JSON-RPC error in the body of a 401 or 403, or of a 404 if the error has no id.
    pub error: Option<ErrorObject>,
    /// The challenges of `WWW-Authenticate`, joined by commas, which say how to authenticate (RFC
    /// 9110, section 11.6.1).
    pub www_authenticate: Option<String>,
    /// The target of a redirect that was not followed, as the server sent it.
    pub location: Option<String>,
    /// True if the redirect was not followed because 5 redirects had already been followed.
    pub too_many_redirects: bool,
    /// The time after which the request may be repeated (`Retry-After`; RFC 9110, section 10.2.3).
    pub retry_after: Option<Duration>,
}

impl std::error::Error for HttpError {}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The path begins with the third slash.
        let path = self.url.match_indices('/').nth(2);
        f.write_str(&self.text(path.map_or(&self.url, |(start, _)| &self.url[..start])))
    }
}

impl HttpError {
    /// Returns the text of the error with the path of the URL.
    pub(crate) fn with_url(&self) -> String {
        self.text(&self.url)
    }

    fn text(&self, url: &str) -> String {
        let status = self.status;
        if let Some(location) = &self.location {
            let reason = if self.too_many_redirects {
                format!("{MAX_REDIRECTS} redirects were followed before it")
            } else {
                "use that URL if it is to be trusted".to_owned()
            };
            let target = without_secrets(location);
            return format!(
                "HTTP {status} from {url} redirects to {target}, which is not followed: {reason}"
            );
        }
        let challenges = self.www_authenticate.as_ref();
        let challenges = challenges.map(|it| format!(", asking for credentials ({it})"));
        let challenges = challenges.unwrap_or_default();
        if let Some(error) = &self.error {
            return format!("HTTP {status} from {url}{challenges}: {}", error.message);
        }
        let content_type = match &self.content_type {
            Some(content_type) => format!("with {content_type}"),
            None => "without a content type".to_owned(),
        };
        let body = match self.excerpt.as_str() {
            "" => ", and an empty body".to_owned(),
            excerpt => format!(": {excerpt}"),
        };
        format!(
            "HTTP {status} from {url} {content_type} instead of an MCP message{challenges}{body}"
        )
    }
}

/// Returns a URL without user information, query and fragment, which may be secret.
pub(crate) fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let authority = rest.split('/').next().unwrap_or_default();
            let user_end = authority.rfind('@').map_or(0, |end| end + 1);
            format!("{scheme}://{}", &rest[user_end..])
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> HttpError {
        HttpError {
            status: 502,
            url: without_secrets("https://ann:secret@example.com/mcp?key=secret"),
            content_type: Some("text/html".to_owned()),
            excerpt: "<h1>Bad Gateway</h1>".to_owned(),
            error: None,
            www_authenticate: None,
            location: None,
            too_many_redirects: false,
            retry_after: None,
        }
    }

    #[test]
    fn the_text_says_what_came_instead() {
        assert_eq!(
            error().to_string(),
            "HTTP 502 from https://example.com with text/html instead of an MCP message: <h1>Bad Gateway</h1>"
        );
        assert_eq!(
            error().with_url(),
            "HTTP 502 from https://example.com/mcp with text/html instead of an MCP message: \
             <h1>Bad Gateway</h1>"
        );
        let refused = HttpError {
            status: 401,
            content_type: None,
            excerpt: String::new(),
            www_authenticate: Some("Bearer".to_owned()),
            ..error()
        };
        assert_eq!(
            refused.to_string(),
            "HTTP 401 from https://example.com without a content type instead of an MCP message, \
             asking for credentials (Bearer), and an empty body"
        );
    }

    #[test]
    #[cfg(feature = "client")]
    fn a_refused_connection_is_described_once() {
        let refused = crate::ConnectError::Http(Box::new(error()));
        assert_eq!(crate::error::with_causes(&refused), error().with_url());
    }

    #[test]
    fn a_redirect_names_its_target_without_secrets() {
        let redirect = HttpError {
            status: 307,
            location: Some("https://ann:secret@example.com/mcp?token=secret".to_owned()),
            ..error()
        };
        let text = redirect.to_string();
        assert!(text.contains("https://example.com/mcp,"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
