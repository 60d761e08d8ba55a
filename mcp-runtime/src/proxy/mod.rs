//! Proxies: servers that relay to other servers.

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "for proxies of several servers")
)]
mod merge;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "for proxies of several servers")
)]
mod names;
#[allow(
    clippy::module_inception,
    reason = "the file has the name of its public type"
)]
mod proxy;
mod upstream;

pub use proxy::Proxy;
pub use upstream::Upstream;
