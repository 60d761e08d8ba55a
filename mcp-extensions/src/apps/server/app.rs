//! The page of a tool.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use mcp_runtime::resources::{Contents, IntoContents};
use mcp_runtime::server::resources::{ResourceCall, ResourceEntry};
use mcp_runtime::server::{Reply, ToolExtension};
use mcp_runtime::types::{JsonObject, Resource, ResourceContents, Tool};
use mcp_runtime::{BoxFuture, Context, ProtocolError};
use serde_json::{Value, json};

use crate::apps::limits::MAX_DOMAINS;
use crate::apps::types::{
    APP, DOMAIN_LISTS, FLAT_RESOURCE_URI, ID, MODEL, PAGE_TYPE, PERMISSIONS, RESOURCE_URI, SCHEME,
    UI, VISIBILITY,
};
use crate::apps::{Permission, origin};

/// The page of a tool, for `#[tool(with(…))]`.
///
/// A host that supports apps shows the page in a sandboxed frame when the tool is called, and passes
/// the arguments and the result to the page. The tool registers the page as a resource, once for all
/// tools that name it. Other hosts only get the result, so every tool must return content.
///
/// The page can reach nothing but the declared domains. A domain is `https://` or `wss://`, a host that
/// may begin with `*.`, and perhaps a port. `http://` and `ws://` are allowed on loopback.
///
/// ```
/// use mcp_extensions::App;
///
/// const CLOCK: App = App::html("ui://clock", "<!doctype html><p id=time>")
///     .title("Clock")
///     .connect(&["https://api.example.com"])
///     .border(true);
/// # drop(CLOCK);
/// ```
///
/// # Panics
///
/// Adding the app to a tool panics if the URI does not begin with `ui://`, if a domain is not valid, or
/// if a list has more than 100 domains. This keeps the server from starting.
#[derive(Clone)]
pub struct App {
    uri: Cow<'static, str>,
    page: Page,
    title: Option<&'static str>,
    description: Option<&'static str>,
    /// In the order of [`DOMAIN_LISTS`].
    domains: [&'static [&'static str]; 4],
    permissions: &'static [Permission],
    domain: Option<&'static str>,
    domain_for: Option<fn(&Context) -> Option<String>>,
    border: Option<bool>,
    visibility: &'static [&'static str],
}

#[derive(Clone)]
enum Page {
    Html(&'static str),
    Function(Arc<PageFunction>),
}

type PageFunction = dyn Fn(Context) -> BoxFuture<Result<Contents, ProtocolError>> + Send + Sync;

impl App {
    /// Creates a page from HTML that is part of the program, for example with `include_str!`.
    #[must_use]
    pub const fn html(uri: &'static str, html: &'static str) -> Self {
        Self::new(Cow::Borrowed(uri), Page::Html(html))
    }

    /// Creates a page that `function` returns for each read: a `String` with HTML, or a `Result` of it.
    ///
    /// ```
    /// use mcp_extensions::App;
    /// use mcp_runtime::Context;
    ///
    /// let greeting = App::page("ui://greeting", async |cx: Context| {
    ///     format!("<!doctype html><p>Hello, {}!", cx.principal().unwrap_or("reader"))
    /// });
    /// # drop(greeting);
    /// ```
    pub fn page<F>(
        uri: impl Into<Cow<'static, str>>,
        function: impl Fn(Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output: IntoContents> + Send + 'static,
    {
        let function = move |cx| -> BoxFuture<_> {
            let html = function(cx);
            Box::pin(async move { html.await.into_contents() })
        };
        Self::new(uri.into(), Page::Function(Arc::new(function)))
    }

    const fn new(uri: Cow<'static, str>, page: Page) -> Self {
        Self {
            uri,
            page,
            title: None,
            description: None,
            domains: [&[]; 4],
            permissions: &[],
            domain: None,
            domain_for: None,
            border: None,
            visibility: &[MODEL, APP],
        }
    }

    /// Sets the title of the page for people.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// Sets the description of the page.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// Sets the domains for network requests: `fetch`, `XMLHttpRequest` and WebSockets.
    #[must_use]
    pub const fn connect(mut self, domains: &'static [&'static str]) -> Self {
        self.domains[0] = domains;
        self
    }

    /// Sets the domains for scripts, styles, images, fonts and media.
    #[must_use]
    pub const fn resources(mut self, domains: &'static [&'static str]) -> Self {
        self.domains[1] = domains;
        self
    }

    /// Sets the domains for frames in the page.
    #[must_use]
    pub const fn frames(mut self, domains: &'static [&'static str]) -> Self {
        self.domains[2] = domains;
        self
    }

    /// Sets the domains that the base URI of the page may have.
    #[must_use]
    pub const fn base_uris(mut self, domains: &'static [&'static str]) -> Self {
        self.domains[3] = domains;
        self
    }

    /// Sets the features of the browser that the page requests.
    #[must_use]
    pub const fn permissions(mut self, permissions: &'static [Permission]) -> Self {
        self.permissions = permissions;
        self
    }

    /// Sets the dedicated origin of the page, for hosts that offer one. Each host has its own format.
    #[must_use]
    pub const fn domain(mut self, domain: &'static str) -> Self {
        self.domain = Some(domain);
        self
    }

    /// Sets a function that returns the dedicated origin for each client. It has precedence over
    /// [`domain`](Self::domain), and applies only to the contents of the page, because a list may be
    /// cached for several clients.
    #[must_use]
    pub const fn domain_for(mut self, domain: fn(&Context) -> Option<String>) -> Self {
        self.domain_for = Some(domain);
        self
    }

    /// Sets whether the host should draw a border and a background. By default, the host decides.
    #[must_use]
    pub const fn border(mut self, border: bool) -> Self {
        self.border = Some(border);
        self
    }

    /// Makes the tool one for the page only: hosts hide it from the model. This is not access
    /// control, because any client can call the tool.
    #[must_use]
    pub const fn for_app(mut self) -> Self {
        self.visibility = &[APP];
        self
    }

    /// Makes the tool one for the model only: hosts refuse calls of pages.
    #[must_use]
    pub const fn for_model(mut self) -> Self {
        self.visibility = &[MODEL];
        self
    }

    /// # Panics
    ///
    /// Panics if the URI or a domain is not valid, or if there are too many domains.
    #[track_caller]
    fn check(&self) {
        let uri = &self.uri;
        let path = uri.strip_prefix(SCHEME).unwrap_or_default();
        assert!(
            !path.is_empty(),
            "`{uri}` can't be the URI of a page: it must begin with `{SCHEME}`, such as `ui://clock`"
        );
        for (list, domains) in DOMAIN_LISTS.iter().zip(self.domains) {
            for domain in domains {
                if let Err(reason) = origin::source(domain) {
                    panic!("`{domain}` can't be among the {list} of the page `{uri}`: {reason}");
                }
            }
            let count = domains.len();
            assert!(
                count <= MAX_DOMAINS,
                "the page `{uri}` has {count} {list}, but {MAX_DOMAINS} are allowed"
            );
        }
    }

    /// Returns the `_meta` of the page with this dedicated origin.
    fn meta(&self, domain: Option<&str>) -> Option<JsonObject> {
        let lists = DOMAIN_LISTS.iter().zip(self.domains);
        let lists = lists.filter(|(_, domains)| !domains.is_empty());
        let csp = lists.map(|(list, domains)| ((*list).to_owned(), json!(domains)));
        let permissions = PERMISSIONS.iter();
        let permissions = permissions.filter(|(it, ..)| self.permissions.contains(it));
        let permissions = permissions.map(|(_, name, _)| ((*name).to_owned(), json!({})));
        let ui = [
            ("csp", Value::Object(csp.collect())),
            ("permissions", Value::Object(permissions.collect())),
            ("domain", json!(domain)),
            ("prefersBorder", json!(self.border)),
        ];
        let is_set = |value: &Value| !value.is_null() && *value != json!({});
        let ui = ui.into_iter().filter(|(_, value)| is_set(value));
        let ui: JsonObject = ui.map(|(name, value)| (name.to_owned(), value)).collect();
        (!ui.is_empty()).then(|| JsonObject::from_iter([(UI.to_owned(), ui.into())]))
    }

    /// Returns the resource of the page as it is listed.
    fn listed(&self) -> Resource {
        let name = self.uri.trim_start_matches(SCHEME);
        let mut resource = Resource::new(name, &*self.uri);
        resource.title = self.title.map(ToOwned::to_owned);
        resource.description = self.description.map(ToOwned::to_owned);
        resource.mime_type = Some(PAGE_TYPE.to_owned());
        resource.meta = self.meta(self.domain);
        if let Page::Html(html) = self.page {
            resource.size = Some(html.len() as i128);
        }
        resource
    }

    fn read(&self, cx: &Context) -> Reply<Contents> {
        let own = self.domain_for.and_then(|domain| domain(cx));
        let meta = self.meta(own.as_deref().or(self.domain));
        let uri = self.uri.clone().into_owned();
        let part = move |contents: ResourceContents| {
            Contents::Parts(vec![contents.with_mime_type(PAGE_TYPE).with_meta(meta)])
        };
        match &self.page {
            Page::Html(html) => Reply::Ready(Ok(part(ResourceContents::text(uri, *html)))),
            Page::Function(function) => {
                let page = function(cx.clone());
                Reply::Pending(Box::pin(async move {
                    Ok(match page.await? {
                        Contents::Text(html) => part(ResourceContents::text(uri, html)),
                        Contents::Bytes(html) => part(ResourceContents::blob(uri, html)),
                        other => other,
                    })
                }))
            }
        }
    }
}

impl ToolExtension for App {
    fn needs(&self) -> Option<&'static str> {
        Some(ID)
    }

    fn describe(&self, tool: &mut Tool) {
        let meta = tool.meta.get_or_insert_default();
        meta.insert(FLAT_RESOURCE_URI.to_owned(), (*self.uri).into());
        let ui = meta.entry(UI).or_insert_with(|| json!({}));
        if !ui.is_object() {
            *ui = json!({});
        }
        ui[RESOURCE_URI] = (*self.uri).into();
        ui[VISIBILITY] = self.visibility.into();
    }

    #[track_caller]
    fn resources(&self) -> Vec<ResourceEntry> {
        self.check();
        let app = self.clone();
        let read = move |call: ResourceCall<'_>| app.read(call.context);
        vec![ResourceEntry::resource(self.listed(), read)]
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("App").field(&self.uri).finish()
    }
}
