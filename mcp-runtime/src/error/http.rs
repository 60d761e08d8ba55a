//! HTTP responses that are not MCP messages.

use std::fmt;

use crate::limits::MAX_REDIRECTS;

/// An HTTP response that is not an MCP message: an error page, an empty body, a redirect that is
/// not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpError {
    /// The status code.
    pub status: u16,
    /// The `Content-Type`.
    pub content_type: Option<String>,
    /// The first 200 characters of the body, with control characters replaced by spaces. Not
    /// trusted: they may be from a gateway, or from an attacker.
    pub excerpt: String,
    /// The challenges of `WWW-Authenticate`, joined by commas: how to authenticate (RFC 9110,
    /// section 11.6.1).
    pub www_authenticate: Option<String>,
    /// The target of a redirect that was not followed, as the server named it.
    pub location: Option<String>,
    /// True if the redirect was not followed because the request had been redirected 5 times.
    pub too_many_redirects: bool,
}

impl std::error::Error for HttpError {}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status;
        if let Some(location) = &self.location {
            // User information and query may be secret.
            let target = location.split(['?', '#']).next().unwrap_or_default();
            let target = match target.split_once("://") {
                Some((scheme, rest)) => {
                    let authority = rest.split('/').next().unwrap_or_default();
                    let user_end = authority.rfind('@').map_or(0, |end| end + 1);
                    format!("{scheme}://{}", &rest[user_end..])
                }
                None => target.to_owned(),
            };
            write!(
                f,
                "HTTP {status} redirects to {target}, which is not followed: "
            )?;
            return match self.too_many_redirects {
                true => write!(f, "{MAX_REDIRECTS} redirects were followed before it"),
                false => f.write_str("use that URL if it is to be trusted"),
            };
        }
        match &self.content_type {
            Some(content_type) => write!(f, "HTTP {status} with {content_type}")?,
            None => write!(f, "HTTP {status} without a content type")?,
        }
        f.write_str(" instead of an MCP message")?;
        if let Some(challenges) = &self.www_authenticate {
            write!(f, ", asking for credentials ({challenges})")?;
        }
        match self.excerpt.as_str() {
            "" => f.write_str(", and an empty body"),
            excerpt => write!(f, ": {excerpt}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> HttpError {
        HttpError {
            status: 502,
            content_type: Some("text/html".to_owned()),
            excerpt: "<h1>Bad Gateway</h1>".to_owned(),
            www_authenticate: None,
            location: None,
            too_many_redirects: false,
        }
    }

    #[test]
    fn the_text_says_what_came_instead() {
        assert_eq!(
            error().to_string(),
            "HTTP 502 with text/html instead of an MCP message: <h1>Bad Gateway</h1>"
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
            "HTTP 401 without a content type instead of an MCP message, asking for credentials \
             (Bearer), and an empty body"
        );
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
