//! The host side: the pages of a server, and the policy under which a browser shows them.

mod error;
mod page;
mod policy;
mod server_apps;

pub use error::AppError;
pub use page::AppPage;
pub use server_apps::{ServerApps, ShowApps};
