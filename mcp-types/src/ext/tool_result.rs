//! Results of tools.

use serde::{Deserialize, Serialize};

use crate::{CallToolResult, ContentBlock, RawJson};

impl CallToolResult {
    /// Creates a result with text.
    ///
    /// ```
    /// use mcp_types::CallToolResult;
    ///
    /// let sum = CallToolResult::text("5");
    /// assert_eq!(sum.texts().collect::<Vec<_>>(), ["5"]);
    /// assert!(!sum.has_failed());
    /// ```
    #[must_use]
    #[doc(alias = "success")]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new([ContentBlock::text(text)])
    }

    /// Creates the result of a tool that failed. The text explains the error to the model, which may
    /// then try something else.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self::text(text).with_is_error(true)
    }

    /// Creates a result with structured content, and with the same JSON as text for clients that only
    /// read `content`.
    ///
    /// Revisions before 2025-06-18 have only the text. Before 2026-07-28, the value must be a JSON
    /// object.
    ///
    /// ```
    /// use mcp_types::CallToolResult;
    ///
    /// let point = CallToolResult::structured(&[1, 2]).unwrap();
    /// assert_eq!(point.structured_as::<(i32, i32)>().unwrap().unwrap(), (1, 2));
    /// assert_eq!(point.texts().next(), Some("[1,2]"));
    /// ```
    ///
    /// # Errors
    ///
    /// When the value has no JSON form, such as a map whose keys are not strings.
    pub fn structured<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        let json = RawJson::new(value)?;
        Ok(Self::text(json.get()).with_structured_content(json))
    }

    /// Returns true if the tool failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.is_error.unwrap_or(false)
    }

    /// Iterates over the text blocks of the content.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(ContentBlock::as_text)
    }

    /// Decodes the structured content as a `T`. Returns `None` if the result has no structured content.
    ///
    /// # Errors
    ///
    /// When the structured content does not match `T`.
    pub fn structured_as<'a, T: Deserialize<'a>>(&'a self) -> Option<serde_json::Result<T>> {
        self.structured_content.as_ref().map(RawJson::parse)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn failures_are_marked() {
        let failed = CallToolResult::error("no such book");
        assert!(failed.has_failed());
        let json = serde_json::to_value(failed).unwrap();
        let content = json!([{"type": "text", "text": "no such book"}]);
        assert_eq!(json, json!({"content": content, "isError": true}));
    }

    #[test]
    fn structure_comes_with_its_text() {
        let result = CallToolResult::structured(&json!({"n": 1})).unwrap();
        assert_eq!(
            result.structured_content.as_ref().unwrap().get(),
            r#"{"n":1}"#
        );
        assert_eq!(result.texts().collect::<Vec<_>>(), [r#"{"n":1}"#]);
        assert!(result.structured_as::<bool>().unwrap().is_err());
        assert!(CallToolResult::text("x").structured_as::<bool>().is_none());
    }
}
