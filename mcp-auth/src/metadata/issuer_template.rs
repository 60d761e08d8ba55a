//! Identifiers of issuers with many tenants.

use std::fmt;

use super::MetadataError;
use super::url::ServerUrl;
use crate::limits::MAX_TENANT_BYTES;

/// A template for issuer identifiers that contain the tenant, such as
/// `https://login.example.com/{tenant}/v2.0`. The placeholder is one path segment and may have any
/// name.
///
/// ```
/// use mcp_auth::metadata::IssuerTemplate;
///
/// let template = IssuerTemplate::parse("https://login.example.com/{tenant}/v2.0")?;
/// assert_eq!(template.tenant("https://login.example.com/acme/v2.0"), Some("acme"));
/// assert_eq!(template.tenant("https://login.example.com/acme/v1.0"), None);
/// assert_eq!(template.issuer("acme"), "https://login.example.com/acme/v2.0");
/// # Ok::<(), mcp_auth::metadata::MetadataError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct IssuerTemplate {
    text: String,
    /// The byte range of the placeholder.
    start: usize,
    end: usize,
}

impl IssuerTemplate {
    /// Parses a template.
    ///
    /// # Errors
    ///
    /// [`MetadataError::Url`] if the template does not have exactly one placeholder that is a path
    /// segment, or is not a URL when the placeholder is replaced.
    pub fn parse(text: impl Into<String>) -> Result<Self, MetadataError> {
        let text = text.into();
        let template = Self::found(&text).map(|(start, end)| Self {
            text: text.clone(),
            start,
            end,
        });
        let template = template.filter(|it| {
            let example = it.issuer("tenant");
            let url = ServerUrl::parse(&example);
            url.is_ok_and(|url| url.path.split('/').any(|it| it == "tenant"))
        });
        template.ok_or(MetadataError::Url(text))
    }

    /// Finds the byte range of the only placeholder.
    fn found(text: &str) -> Option<(usize, usize)> {
        let start = text.find("/{")? + 1;
        let end = start + text[start..].find('}')? + 1;
        let rest = &text[end..];
        let is_segment = rest.is_empty() || rest.starts_with('/');
        (is_segment && !rest.contains(['{', '}'])).then_some((start, end))
    }

    /// The tenant of an issuer, or `None` if the issuer does not match the template. A tenant
    /// consists of 1 to 64 letters, digits, `-`, `_` and `.`, but is not `.` or `..`.
    #[must_use]
    pub fn tenant<'a>(&self, issuer: &'a str) -> Option<&'a str> {
        let rest = issuer.strip_prefix(&self.text[..self.start])?;
        let tenant = rest.strip_suffix(&self.text[self.end..])?;
        let is_name = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
        let is_tenant = !matches!(tenant, "" | "." | "..") && tenant.len() <= MAX_TENANT_BYTES;
        (is_tenant && tenant.bytes().all(is_name)).then_some(tenant)
    }

    /// The issuer identifier of a tenant.
    #[must_use]
    pub fn issuer(&self, tenant: &str) -> String {
        let Self { text, start, end } = self;
        format!("{}{tenant}{}", &text[..*start], &text[*end..])
    }

    /// The template as it was given. The metadata of such an issuer may have the template as its
    /// `issuer`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for IssuerTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuerTemplate({})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_segments_are_placeholders() {
        for text in [
            "https://a.example/{t}",
            "https://a.example/{tenantid}/v2.0",
            "https://a.example/x/{t}/",
        ] {
            assert!(IssuerTemplate::parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "https://a.example/v2.0",
            "https://{t}.example/",
            "https://{t}/",
            "https://a.example/a{t}",
            "https://a.example/{t}a",
            "https://a.example/{t}/{u}",
            "https://a.example/{t",
            "https://a.example/?{t}",
            "https://a.example/#/{t}",
            "ftp://a.example/{t}",
        ] {
            assert!(IssuerTemplate::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_tenant_is_one_plain_segment() {
        let template = IssuerTemplate::parse("https://a.example/{t}/v2.0").unwrap();
        let long = "a".repeat(65);
        for tenant in ["", ".", "..", "a/b", "a%2fb", "a b", "{t}", "\u{e9}", &long] {
            let issuer = template.issuer(tenant);
            assert_eq!(template.tenant(&issuer), None, "{tenant}");
        }
        for issuer in [
            "https://a.example/a/v2.0/",
            "https://A.example/a/v2.0",
            "https://a.example:443/a/v2.0",
            "https://b.example/a/v2.0",
            "https://a.example/v2.0",
        ] {
            assert_eq!(template.tenant(issuer), None, "{issuer}");
        }
    }
}
