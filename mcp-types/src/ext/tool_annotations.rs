//! Defaults of the hints about a tool.

use crate::ToolAnnotations;

impl ToolAnnotations {
    /// Creates the hints for a tool that does not modify anything.
    ///
    /// ```
    /// use mcp_types::ToolAnnotations;
    ///
    /// let hints = ToolAnnotations::read_only();
    /// assert!(hints.is_read_only() && !hints.is_destructive());
    /// assert!(ToolAnnotations::new().is_destructive(), "the default is the worst case");
    /// ```
    #[must_use]
    pub fn read_only() -> Self {
        Self::new().with_read_only_hint(true)
    }

    /// Returns true if the tool does not modify anything. Default: false.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Returns true if the tool may overwrite or delete data. Default: true, unless the tool is read-only.
    #[must_use]
    pub fn is_destructive(&self) -> bool {
        !self.is_read_only() && self.destructive_hint.unwrap_or(true)
    }

    /// Returns true if repeated calls with the same arguments have no additional effect. Default: false,
    /// unless the tool is read-only.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.is_read_only() || self.idempotent_hint.unwrap_or(false)
    }

    /// Returns true if the tool interacts with external systems, such as the web. Default: true.
    #[must_use]
    pub fn is_open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_counts() {
        let hints = ToolAnnotations::new()
            .with_destructive_hint(false)
            .with_idempotent_hint(true)
            .with_open_world_hint(false);
        assert!(!hints.is_read_only() && !hints.is_destructive());
        assert!(hints.is_idempotent() && !hints.is_open_world());
    }

    #[test]
    fn what_is_not_said_is_the_worst() {
        let hints = ToolAnnotations::new();
        assert!(!hints.is_read_only() && hints.is_destructive());
        assert!(!hints.is_idempotent() && hints.is_open_world());
    }

    #[test]
    fn who_changes_nothing_destroys_nothing_twice() {
        let hints = ToolAnnotations::read_only().with_destructive_hint(true);
        assert!(!hints.is_destructive() && hints.is_idempotent());
    }
}
