//! The server side: apps on tools, and the extension that they need.

mod app;
mod extension;

pub use app::App;
pub use extension::{Apps, HasApps};
