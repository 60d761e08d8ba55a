//! Dispatch of admitted requests to the methods of the protocol.
//!
//! `snapshot` is everything that a server offers, with the capabilities that it declares. `methods`
//! is the table of methods and what serves each; those about subscriptions are in `subscriptions`.
//! `admitted` is the request that they get.

mod admitted;
mod methods;
mod snapshot;
mod subscriptions;

pub(super) use admitted::Admitted;
pub(super) use snapshot::Router;
