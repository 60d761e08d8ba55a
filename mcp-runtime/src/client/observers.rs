//! Who is told of what the server says of its own accord.

use mcp_types::{LoggingMessageNotificationParams, ProgressNotificationParams, ServerNotification};

use super::ClientBuilder;

/// A list of the server's, or what one of its resources contains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Changed {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources, or of templates.
    Resources,
    /// What the resource under this URI contains.
    Resource(String),
}

impl Changed {
    /// What a notification says has changed, if it is one that does.
    #[must_use]
    pub fn by(notification: &ServerNotification) -> Option<Self> {
        Some(match notification {
            ServerNotification::ToolListChanged(_) => Self::Tools,
            ServerNotification::PromptListChanged(_) => Self::Prompts,
            ServerNotification::ResourceListChanged(_) => Self::Resources,
            ServerNotification::ResourceUpdated(params) => Self::Resource(params.uri.clone()),
            _ => return None,
        })
    }
}

impl ClientBuilder {
    /// Calls `observer` with each log message of the server, in order. It must return quickly: the
    /// connection waits. How much is logged is up to
    /// [`set_log_level`](super::Client::set_log_level).
    ///
    /// ```
    /// use mcp_runtime::Client;
    ///
    /// let client = Client::builder("example", "1.0.0")
    ///     .on_log(|message| eprintln!("{}: {}", message.level, message.data))
    ///     .on_changed(|changed| eprintln!("changed: {changed:?}"));
    /// # drop(client);
    /// ```
    pub fn on_log(
        self,
        observer: impl Fn(&LoggingMessageNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.on_notification(move |notification| {
            if let ServerNotification::LoggingMessage(message) = notification {
                observer(message);
            }
        })
    }

    /// Calls `observer` with each report of progress, of whatever call that
    /// [asked for it](super::Call::on_progress). It must return quickly: the connection waits.
    pub fn on_progress(
        self,
        observer: impl Fn(&ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.on_notification(move |notification| {
            if let ServerNotification::Progress(progress) = notification {
                observer(progress);
            }
        })
    }

    /// Calls `observer` with each change that the server announces, in order. It must return
    /// quickly: the connection waits. What is announced is up to
    /// [`subscribe_to`](super::Client::subscribe_to); in revisions with a handshake, changes of
    /// lists are announced unasked.
    pub fn on_changed(self, observer: impl Fn(Changed) + Send + Sync + 'static) -> Self {
        self.on_notification(move |notification| {
            if let Some(changed) = Changed::by(notification) {
                observer(changed);
            }
        })
    }
}
