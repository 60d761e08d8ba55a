//! Extensions of the protocol on a server (SEP-2133): declaration, methods, subscriptions.

mod extension;
mod registry;
mod subscription;

pub use extension::{Extension, MethodCall};
pub(super) use extension::{Method, typed};
pub(super) use registry::Extensions;
pub use subscription::{ExtensionNotification, ExtensionSubscription};
