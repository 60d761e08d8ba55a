//! Proxies: servers that relay to other servers.

#[allow(
    clippy::module_inception,
    reason = "the file has the name of its public type"
)]
mod proxy;
mod upstream;

pub use proxy::Proxy;
pub use upstream::Upstream;
