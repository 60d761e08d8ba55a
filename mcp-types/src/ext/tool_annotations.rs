//! Defaults of a tool's hints.

use crate::ToolAnnotations;

impl ToolAnnotations {
    /// The hints of a tool that changes nothing.
    ///
    /// ```
    /// use mcp_types::ToolAnnotations;
    ///
    /// let hints = ToolAnnotations::read_only();
    /// assert!(hints.is_read_only() && !hints.is_destructive());
    /// assert!(ToolAnnotations::new().is_destructive(), "what is not said has to be feared");
    /// ```
    #[must_use]
    pub fn read_only() -> Self {
        Self::new().with_read_only_hint(true)
    }

    /// Whether the tool changes nothing; not, unless it says so.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether the tool may destroy something; it may, unless it says that it does not, or changes
    /// nothing at all.
    #[must_use]
    pub fn is_destructive(&self) -> bool {
        !self.is_read_only() && self.destructive_hint.unwrap_or(true)
    }

    /// Whether a second call with the same arguments changes nothing more; not, unless the tool
    /// says so, or changes nothing at all.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.is_read_only() || self.idempotent_hint.unwrap_or(false)
    }

    /// Whether the tool deals with an open world, such as the web; it does, unless it says not.
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
