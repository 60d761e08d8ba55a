//! A server that stands for another one, which is reached through a client.
//!
//! `remote` asks that server what it has, and makes routes that lead there (`routes`); `follow`
//! asks again whenever it says that something has changed, or is another one (`lasting`). `callers` knows whom to ask what that
//! server asks, and `turns` keeps callers apart where that is wanted.

mod callers;
mod follow;
mod introduce;
mod lasting;
mod meta;
mod open;
#[allow(
    clippy::module_inception,
    reason = "the type's name is the user's word"
)]
mod proxy;
mod remote;
mod routes;
mod turns;
mod watch;

pub use proxy::Proxy;
