//! Notifications that no schema defines, such as the notifications of extensions.

use crate::union::message::Message;
use crate::{RawJson, RawJsonRef, ServerNotification};

impl ServerNotification {
    /// Creates a notification that no schema defines.
    ///
    /// ```
    /// use mcp_types::{RawJson, ServerNotification};
    ///
    /// let params = RawJson::from_text(r#"{"id": "7"}"#).unwrap();
    /// let closed = ServerNotification::unknown("com.example/closed", Some(params.as_raw()));
    /// let params = closed.params_of("com.example/closed").unwrap();
    /// assert_eq!(params.get(), r#"{"id": "7"}"#);
    /// ```
    #[must_use]
    pub fn unknown(method: &str, params: Option<RawJsonRef<'_>>) -> Self {
        let method = method.into();
        Self::Unknown(RawJson::encode(&Message { method, params }))
    }

    /// Returns the parameters if this is a notification with the method `method` that no schema
    /// defines; an empty object if it has no parameters. Returns `None` for any other notification.
    #[must_use]
    pub fn params_of(&self, method: &str) -> Option<RawJsonRef<'_>> {
        let Self::Unknown(json) = self else {
            return None;
        };
        let message: Message<'_> = json.parse().ok()?;
        let params = message.params.unwrap_or_else(RawJsonRef::empty_object);
        (message.method == method).then_some(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_that_no_schema_has_is_kept() {
        let written = r#"{"method":"com.example/closed"}"#;
        let closed = ServerNotification::unknown("com.example/closed", None);
        assert_eq!(serde_json::to_string(&closed).unwrap(), written);
        let params = closed.params_of("com.example/closed").unwrap();
        assert_eq!(params.get(), "{}");
        assert!(closed.params_of("com.example/opened").is_none());
        let known = ServerNotification::ToolListChanged(None);
        assert!(
            known
                .params_of("notifications/tools/list_changed")
                .is_none()
        );
    }
}
