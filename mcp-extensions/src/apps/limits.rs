//! The limits of apps, each with its unit and reason.

/// Maximum number of domains in each list of a page. Real pages declare fewer than 20. The policy is
/// sent as a header, and with more domains it could exceed the limits of browsers and proxies.
pub(super) const MAX_DOMAINS: usize = 100;
