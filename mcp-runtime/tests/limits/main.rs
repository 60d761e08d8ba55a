//! Tests each limit of `src/limits.rs` over its transport, up to the point where a peer notices it.
//! A limit without effect, or with a different value, fails its test.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used, clippy::duplicate_mod, unreachable_pub)]

/// Declares the tests of a module: each limit, with the function that drives it.
macro_rules! driven {
    ($($(#[$only:meta])? $limit:ident by $drive:ident,)*) => {
        pub(crate) const LIMITS: &[&str] = &[$(stringify!($limit)),*];

        #[allow(non_snake_case)]
        mod limit {
            $($(#[$only])? #[test]
            fn $limit() {
                crate::run(super::$drive());
            })*
        }
    };
}

/// Marks modules that need more features than `client`.
macro_rules! complete {
    ($($item:item)*) => {
        $(#[cfg(all(
            feature = "http-client",
            feature = "http-server",
            feature = "sse",
            feature = "websocket"
        ))]
        $item)*
    };
}

mod kept_states;
#[path = "../support/mod.rs"]
mod support;

complete! {
    mod arguments;
    #[allow(dead_code)]
    #[path = "../proxy/behind.rs"]
    mod behind;
    #[allow(dead_code)]
    #[path = "../http/stores/bus.rs"]
    mod bus;
    #[cfg(unix)]
    mod children;
    mod clients;
    mod http_clients;
    mod http_servers;
    mod http_sessions;
    mod layers;
    mod memory;
    mod proxies;
    mod replicas;
    #[allow(dead_code)]
    #[path = "../http/scripted.rs"]
    mod scripted;
    mod servers;
    mod streams;
    mod wire;
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(test);
}

complete! {
#[cfg(unix)]
#[test]
fn none_is_left_out() {
    const SOURCE: &str = include_str!("../../src/limits.rs");
    let driven = [
        arguments::LIMITS,
        children::LIMITS,
        clients::LIMITS,
        http_clients::LIMITS,
        http_servers::LIMITS,
        http_sessions::LIMITS,
        kept_states::LIMITS,
        layers::LIMITS,
        memory::LIMITS,
        proxies::LIMITS,
        replicas::LIMITS,
        servers::LIMITS,
        streams::LIMITS,
    ];
    let driven = driven.concat();
    let declared = SOURCE.lines().filter_map(|line| {
        let private = line.strip_prefix("pub(crate) const ");
        let name = private.or_else(|| line.strip_prefix("pub const "))?;
        name.split(':').next()
    });
    // `FOREVER` only keeps additions to a time from overflowing, so it is not a limit.
    let declared: Vec<_> = declared.filter(|name| *name != "FOREVER").collect();
    for name in &declared {
        assert!(driven.contains(name), "{name} is driven by no test");
    }
    for name in driven {
        assert!(declared.contains(&name), "{name} is not a limit");
    }
}
}
