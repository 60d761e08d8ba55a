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
pub struct Tenants {
    check: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// A list that can't be right, for an error.
    pub(crate) mistake: Option<String>,
}

impl Tenants {
    /// Those for which `check` returns true. It is asked for each token whose signature was verified, and
    /// must answer at once.
    pub fn matching(check: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self {
            check: Arc::new(check),
            mistake: None,
        }
    }

    /// True if tokens of this tenant are accepted.
    #[must_use]
    pub fn admits(&self, tenant: &str) -> bool {
        (self.check)(tenant)
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
        let is_name = |it: &String| !it.is_empty() && !it.contains('/');
        let is_right = !tenants.is_empty() && tenants.iter().all(is_name);
        let mistake = (!is_right).then(|| format!("{tenants:?}"));
        let listed = Self::matching(move |tenant| tenants.iter().any(|it| it == tenant));
        Self { mistake, ..listed }
    }
}

impl fmt::Debug for Tenants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tenants").finish_non_exhaustive()
    }
}
