//! Pictures of what a server offers.

use mcp_types::Icon;

/// A picture, given as an icon or as its URL.
pub trait IntoIcon {
    /// The icon.
    fn into_icon(self) -> Icon;
}

impl IntoIcon for Icon {
    fn into_icon(self) -> Icon {
        self
    }
}

impl IntoIcon for &str {
    fn into_icon(self) -> Icon {
        Icon::new(self)
    }
}
