//! Subscriptions, in both eras.
//!
//! `listening` is the request that lasts, of the stateless era, and `reopening` when it is made again;
//! `session` is what is wanted of all that a session is told.

mod handle;
mod listening;
mod reopening;
mod session;

pub use handle::Subscription;
#[cfg(feature = "server")]
pub(crate) use handle::SubscriptionEvent;
#[cfg(feature = "server")]
pub(crate) use reopening::is_lost;
