//! Subscriptions, in both eras.
//!
//! `listening` is the request that lasts, of the stateless era; `session` is what is wanted of all
//! that a session is told.

mod handle;
mod listening;
mod session;

pub use handle::Subscription;
