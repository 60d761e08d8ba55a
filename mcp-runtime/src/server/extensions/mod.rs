//! Protocol extensions of a server (SEP-2133): their declaration, methods and subscriptions.

mod extension;
mod registry;

pub use extension::{Extension, ExtensionNotification, ExtensionSubscription, MethodCall};
pub(super) use extension::{Method, typed};
pub(super) use registry::ServerExtensions;
