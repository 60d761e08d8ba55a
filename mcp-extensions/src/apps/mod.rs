//! Apps (`io.modelcontextprotocol/ui`): tools with an HTML page, which a host shows in a sandboxed
//! frame.
//!
//! The extension has no methods. A tool names its page in its `_meta`, the page is a resource, and the
//! host builds a Content Security Policy from the domains that the page declares. This is the same in
//! all revisions.

mod host;
mod limits;
mod origin;
mod server;
#[cfg(feature = "testing")]
mod testing;
mod types;

pub use host::{AppError, AppPage, ServerApps, ShowApps};
pub use server::{App, Apps, HasApps};
#[cfg(feature = "testing")]
pub use testing::text_without_page;
pub use types::{ID, PAGE_TYPE, Permission, is_for_app, is_for_model, page_uri};
