//! Everything that a server offers, and the methods that serve it.
//!
//! `snapshot` has the catalogues and the capabilities that are declared for them. `methods` is where
//! a method meets its list or entry; those about subscriptions are in `subscriptions`.

mod methods;
mod snapshot;

pub(super) use snapshot::Router;
