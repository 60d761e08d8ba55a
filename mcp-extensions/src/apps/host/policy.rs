//! The policy under which a browser shows a page: the Content Security Policy and the `allow` attribute
//! of its frame. Both contain only values that were read and written again, whatever a server declares.

use serde_json::Value;

use crate::apps::limits::MAX_DOMAINS;
use crate::apps::origin::source;
use crate::apps::types::{DOMAIN_LISTS, PERMISSIONS};

/// Returns the policy for the `csp` of the page `uri` (Host Behavior, and point 5 of Sandbox proxy).
///
/// Domains that are not valid are left out and logged, as are those beyond the limit.
pub(super) fn content_security_policy(uri: &str, csp: &Value) -> String {
    let [connect, resources, frames, base_uris] = DOMAIN_LISTS.map(|list| {
        let (sources, refused) = sources(&csp[list]);
        if let Some((domain, reason)) = refused.first() {
            // A domain may have any length.
            let first: String = domain.to_string().chars().take(200).collect();
            let count = refused.len();
            tracing::warn!(uri, list, count, %first, reason, "domains of a page are left out");
        }
        sources.join(" ")
    });
    let own_base = if base_uris.is_empty() { "'self'" } else { "" };
    // The page can't send a form, which would be a connection to any domain.
    let directives = [
        ("default-src", "'none'", ""),
        ("script-src", "'self' 'unsafe-inline'", &*resources),
        ("style-src", "'self' 'unsafe-inline'", &*resources),
        ("img-src", "'self' data:", &*resources),
        ("media-src", "'self' data:", &*resources),
        ("font-src", "", &*resources),
        ("connect-src", "", &*connect),
        ("frame-src", "", &*frames),
        ("object-src", "'none'", ""),
        ("base-uri", own_base, &*base_uris),
        ("form-action", "'none'", ""),
    ];
    let directives = directives.map(|(name, always, declared)| {
        let sources = format!("{always} {declared}");
        match sources.trim() {
            "" => format!("{name} 'none'"),
            sources => format!("{name} {sources}"),
        }
    });
    directives.join("; ")
}

/// Returns the valid domains of a list, and the others with the reasons.
fn sources(list: &Value) -> (Vec<String>, Vec<(&Value, &'static str)>) {
    let mut sources = Vec::new();
    let mut refused = Vec::new();
    let domains = match list {
        Value::Null => &[][..],
        Value::Array(domains) => domains,
        other => {
            refused.push((other, "the list must be an array"));
            &[]
        }
    };
    for domain in domains {
        match domain.as_str().map_or(Err("it must be a string"), source) {
            Ok(source) if sources.contains(&source) => {}
            Ok(_) if sources.len() == MAX_DOMAINS => refused.push((domain, "there are too many")),
            Ok(source) => sources.push(source),
            Err(reason) => refused.push((domain, reason)),
        }
    }
    (sources, refused)
}

/// Returns the value of the frame's `allow` attribute for `permissions`. Unknown names are ignored.
pub(super) fn allow(permissions: &Value) -> String {
    let requested = PERMISSIONS.iter();
    let requested = requested.filter(|(_, name, _)| permissions[*name].is_object());
    let features: Vec<_> = requested.map(|(.., feature)| *feature).collect();
    features.join("; ")
}
