//! Checks of claims beyond those of RFC 9068.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::claims::Claims;

/// One check.
#[derive(Clone)]
pub(super) enum ClaimCheck {
    /// A claim has this value.
    Value(String, Value),
    /// The user's own.
    Custom(Arc<dyn Fn(&Claims) -> bool + Send + Sync>),
}

impl ClaimCheck {
    pub(super) fn passes(&self, claims: &Claims) -> bool {
        match self {
            Self::Value(name, value) => claims.get(name) == Some(value),
            Self::Custom(check) => check(claims),
        }
    }
}

impl fmt::Debug for ClaimCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(name, value) => write!(f, "{name}={value}"),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}
