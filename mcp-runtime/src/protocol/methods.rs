//! Which methods exist where.

use mcp_types::{Era, Revision};

use super::Refusal;

/// tmp
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Client,
    Server,
}
pub(crate) fn check_method(_m: &str, _s: Side, _r: Revision) -> Result<(), Refusal> {
    Ok(())
}
pub(super) fn only_in(_era: Era, method: &str) -> bool {
    method == "server/discover"
}
pub(crate) fn missing_capability(_m: &str) -> &'static str {
    "tools"
}
