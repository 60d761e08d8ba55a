//! Tenants of an issuer that has many.

use std::fmt;
use std::sync::Arc;

/// The tenants whose tokens are accepted, of an issuer that has many: a list, or a function.
///
/// ```
/// use mcp_auth::jwt::Tenants;
///
/// let listed = Tenants::from(["acme", "globex"]);
/// let checked = Tenants::matching(|tenant| tenant.starts_with("eu-"));
/// assert!(listed.admits("acme") && !listed.admits("Acme"));
/// assert!(checked.admits("eu-acme"));
/// ```
#[derive(Clone)]
pub struct Tenants(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl Tenants {
    /// Those for which `check` returns true. It is asked for each token whose signature was verified, and
    /// must answer at once.
    pub fn matching(check: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    /// True if tokens of this tenant are accepted.
    #[must_use]
    pub fn admits(&self, tenant: &str) -> bool {
        (self.0)(tenant)
    }
}

impl<T: Into<String>, const N: usize> From<[T; N]> for Tenants {
    fn from(tenants: [T; N]) -> Self {
        tenants.into_iter().map(Into::into).collect()
    }
}

impl<T: Into<String>> From<Vec<T>> for Tenants {
    fn from(tenants: Vec<T>) -> Self {
        tenants.into_iter().map(Into::into).collect()
    }
}

impl FromIterator<String> for Tenants {
    fn from_iter<I: IntoIterator<Item = String>>(tenants: I) -> Self {
        let tenants: Vec<_> = tenants.into_iter().collect();
        Self::matching(move |tenant| tenants.iter().any(|it| it == tenant))
    }
}

impl fmt::Debug for Tenants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tenants").finish_non_exhaustive()
    }
}
