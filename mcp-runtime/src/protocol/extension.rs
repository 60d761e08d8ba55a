//! Methods of extensions of the protocol.

use std::borrow::Cow;

use mcp_types::Revision;

/// A method of an extension: its name, and the parameter that the header `Mcp-Name` repeats, if
/// any.
///
/// ```
/// use mcp_runtime::ExtensionMethod;
///
/// const GET: ExtensionMethod = ExtensionMethod::new("com.example/tickets/get").named_by("id");
/// assert_eq!(GET.name(), "com.example/tickets/get");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionMethod {
    name: Cow<'static, str>,
    named_by: Option<&'static str>,
}

impl ExtensionMethod {
    /// Creates a method whose requests have no `Mcp-Name` header.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            named_by: None,
        }
    }

    /// Sets the string member of `params` that the header `Mcp-Name` repeats over HTTP in the
    /// stateless era (2026-07-28, "Streamable HTTP", section "Request Metadata").
    ///
    /// Clients send the header. Servers refuse a request whose header differs, but accept a request
    /// without the header, because some clients leave it out.
    #[must_use]
    pub const fn named_by(mut self, parameter: &'static str) -> Self {
        self.named_by = Some(parameter);
        self
    }

    /// Returns the name of the method.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the member of `params` that `Mcp-Name` repeats, if any.
    #[must_use]
    pub fn parameter(&self) -> Option<&'static str> {
        self.named_by
    }
}

impl<T: Into<String>> From<T> for ExtensionMethod {
    fn from(name: T) -> Self {
        Self {
            name: Cow::Owned(name.into()),
            named_by: None,
        }
    }
}

/// The methods of the extension for tasks whose header `Mcp-Name` proxies check and send.
pub(crate) const TASKS: [ExtensionMethod; 3] = [
    ExtensionMethod::new("tasks/get").named_by("taskId"),
    ExtensionMethod::new("tasks/update").named_by("taskId"),
    ExtensionMethod::new("tasks/cancel").named_by("taskId"),
];

/// A method of an extension that a server serves.
#[derive(Clone, Debug)]
pub(crate) struct OwnMethod {
    pub(crate) method: ExtensionMethod,
    /// The extension that callers must declare; `None` for a method that was added without an
    /// extension.
    pub(crate) extension: Option<&'static str>,
    pub(crate) revisions: Vec<Revision>,
}

impl OwnMethod {
    pub(crate) fn find<'a>(methods: &'a [Self], name: &str) -> Option<&'a Self> {
        methods.iter().find(|it| it.method.name() == name)
    }
}
