//! Names, URIs and task ids of several servers that are offered as one.
//!
//! Each server has a prefix. On the way to the client, the prefix is added: the tool `find` becomes
//! `shop_find`, `file:///x` becomes `shop+file:///x`, and `ui://clock` becomes `ui://shop/clock`,
//! because hosts recognize apps by this scheme. On the way back, the prefix tells which server is
//! addressed, and is removed.
//!
//! Messages are edited as JSON, so that unknown members keep their text and order. JSON that does
//! not have the expected shape passes unchanged. The recursion into content blocks is limited by the
//! depth of JSON that connections accept.

use mcp_types::jsonrpc::code;
use mcp_types::{ErrorObject, OrderedMap, RawJson, RawJsonRef, meta_keys};

use crate::protocol::RESOURCE_NOT_FOUND;

/// The members of an object, with undecoded values.
pub(super) type Members<'a> = OrderedMap<RawJsonRef<'a>>;

/// The side that receives a message.
#[derive(Clone, Copy)]
enum To {
    Client,
    Server,
}

/// Adds the prefix of a server to its names, and removes the prefix from requests.
///
/// An empty prefix changes nothing.
#[derive(Clone, Debug)]
pub(super) struct Names {
    prefix: String,
}

impl Names {
    /// Creates names with `prefix`, which consists of ASCII letters, digits and `-`, and begins with
    /// a letter. The first `_` of a name and the first `+` of a URI therefore end the prefix.
    pub(super) fn new(prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        Self { prefix }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the parameters of a request or notification of the client as the server knows them.
    /// Returns `None` if they name something that does not belong to this server.
    ///
    /// A filter of `subscriptions/listen` keeps only the URIs and task ids of this server. It may
    /// become empty.
    pub(super) fn request(&self, method: &str, params: &RawJson) -> Option<RawJson> {
        if self.prefix.is_empty() {
            return Some(params.clone());
        }
        let address = address(method);
        let mut is_addressed = address.is_none();
        let edited = edit(params.as_raw(), |_, name, value| match name {
            "_meta" => self.meta(To::Server, value),
            "notifications" if method == "subscriptions/listen" => self.filter(To::Server, value),
            _ if address == Some(name) => {
                let own = match name {
                    "ref" => self.reference(value),
                    _ => self.renamed(To::Server, name, value),
                };
                is_addressed |= own.is_some();
                own
            }
            _ => None,
        });
        is_addressed.then(|| edited.unwrap_or_else(|| params.clone()))
    }

    /// Returns the client's answer to a question as the server knows it.
    pub(super) fn answer(&self, answer: RawJson) -> RawJson {
        self.edited(answer, |answer| {
            edit(answer, |_, name, value| match name {
                "_meta" => self.meta(To::Server, value),
                _ => None,
            })
        })
    }

    /// Returns a result of the server as the client sees it. Structured content stays as it is.
    pub(super) fn result(&self, method: &str, result: RawJson) -> RawJson {
        self.edited(result, |result| self.shown_result(method, result))
    }

    /// Returns an error of the server as the client sees it: with the URI that the client requested.
    pub(super) fn error(&self, mut error: ErrorObject) -> ErrorObject {
        if self.prefix.is_empty() {
            return error;
        }
        let has_uri = [RESOURCE_NOT_FOUND, code::INVALID_PARAMS];
        if has_uri.contains(&error.code)
            && let Some(data) = &error.data
            && let Some(data) = self.entry(data.as_raw(), "uri")
        {
            error.data = Some(data);
        }
        error
    }

    /// Returns the parameters of a notification of the server as the client sees them.
    pub(super) fn notification(&self, method: &str, params: RawJson) -> RawJson {
        self.edited(params, |params| match method {
            "notifications/tasks" => self.shown_result("tasks/get", params),
            "notifications/tasks/status" => self.entry(params, "taskId"),
            "notifications/resources/updated" => self.entry(params, "uri"),
            _ => edit(params, |_, name, value| match name {
                "_meta" => self.meta(To::Client, value),
                "notifications" if method == "notifications/subscriptions/acknowledged" => {
                    self.filter(To::Client, value)
                }
                _ => None,
            }),
        })
    }

    /// Returns the parameters of a question of the server as the client sees them.
    pub(super) fn question(&self, method: &str, params: RawJson) -> RawJson {
        self.edited(params, |params| self.shown_question(method, params))
    }

    fn edited(
        &self,
        json: RawJson,
        change: impl FnOnce(RawJsonRef<'_>) -> Option<RawJson>,
    ) -> RawJson {
        if self.prefix.is_empty() {
            return json;
        }
        let edited = change(json.as_raw());
        edited.unwrap_or(json)
    }

    fn shown_result(&self, method: &str, result: RawJsonRef<'_>) -> Option<RawJson> {
        edit(result, |members, name, value| match (method, name) {
            (_, "_meta") => self.meta(To::Client, value),
            (_, "inputRequests") => edit(value, |_, _, request| self.input_request(request)),
            ("tools/list", "tools") | ("prompts/list", "prompts") => self.entries(value, "name"),
            ("resources/list", "resources") | ("resources/read", "contents") => {
                self.entries(value, "uri")
            }
            ("resources/templates/list", "resourceTemplates") => self.entries(value, "uriTemplate"),
            ("tasks/list", "tasks") => self.entries(value, "taskId"),
            ("prompts/get", "messages") => self.messages(value),
            ("tools/call" | "tasks/result", "content") => self.blocks(value),
            ("tools/call", "task") => self.entry(value, "taskId"),
            ("tools/call", "taskId") if is(members, "resultType", "task") => {
                self.renamed(To::Client, name, value)
            }
            ("tasks/get" | "tasks/cancel", "taskId") => self.renamed(To::Client, name, value),
            ("tasks/get", "result") => self.shown_result("tools/call", value),
            _ => None,
        })
    }

    /// Edits a request in `inputRequests`.
    fn input_request(&self, request: RawJsonRef<'_>) -> Option<RawJson> {
        edit(request, |members, name, value| {
            let method: String = members.get("method")?.parse().ok()?;
            let is_params = name == "params";
            is_params.then(|| self.shown_question(&method, value))?
        })
    }

    fn shown_question(&self, method: &str, params: RawJsonRef<'_>) -> Option<RawJson> {
        edit(params, |_, name, value| match name {
            "_meta" => self.meta(To::Client, value),
            "messages" if method == "sampling/createMessage" => self.messages(value),
            _ => None,
        })
    }

    fn entries(&self, list: RawJsonRef<'_>, key: &str) -> Option<RawJson> {
        each(list, |entry| self.entry(entry, key))
    }

    /// Edits an object that is identified by its member `key`.
    fn entry(&self, entry: RawJsonRef<'_>, key: &str) -> Option<RawJson> {
        edit(entry, |_, name, value| match name {
            "_meta" => self.meta(To::Client, value),
            _ if name == key => self.renamed(To::Client, name, value),
            _ => None,
        })
    }

    fn messages(&self, list: RawJsonRef<'_>) -> Option<RawJson> {
        each(list, |message| {
            edit(message, |_, name, value| match name {
                "_meta" => self.meta(To::Client, value),
                "content" => self.blocks(value),
                _ => None,
            })
        })
    }

    /// Edits one content block, or a list of them.
    fn blocks(&self, content: RawJsonRef<'_>) -> Option<RawJson> {
        if content.is_object() {
            self.block(content)
        } else {
            each(content, |block| self.block(block))
        }
    }

    fn block(&self, block: RawJsonRef<'_>) -> Option<RawJson> {
        edit(block, |members, name, value| match name {
            "_meta" => self.meta(To::Client, value),
            "uri" if is(members, "type", "resource_link") => self.renamed(To::Client, name, value),
            "resource" if is(members, "type", "resource") => self.entry(value, "uri"),
            "content" if is(members, "type", "tool_result") => self.blocks(value),
            _ => None,
        })
    }

    /// Edits the task to which a message belongs, and the page of a tool. `openai/outputTemplate` is
    /// the page in servers for ChatGPT.
    fn meta(&self, to: To, meta: RawJsonRef<'_>) -> Option<RawJson> {
        edit(meta, |_, name, value| match name {
            meta_keys::RELATED_TASK => self.only(to, value, "taskId"),
            "ui" => self.only(to, value, "resourceUri"),
            "ui/resourceUri" | "openai/outputTemplate" => self.renamed(to, name, value),
            _ => None,
        })
    }

    fn only(&self, to: To, object: RawJsonRef<'_>, key: &str) -> Option<RawJson> {
        edit(object, |_, name, value| {
            let is_key = name == key;
            is_key.then(|| self.renamed(to, name, value))?
        })
    }

    /// Edits the reference of a completion.
    fn reference(&self, reference: RawJsonRef<'_>) -> Option<RawJson> {
        edit(reference, |members, name, value| match name {
            "name" if is(members, "type", "ref/prompt") => self.renamed(To::Server, name, value),
            "uri" if is(members, "type", "ref/resource") => self.renamed(To::Server, name, value),
            _ => None,
        })
    }

    /// Edits the filter of a subscription. A list without an item for the receiver is left out.
    fn filter(&self, to: To, filter: RawJsonRef<'_>) -> Option<RawJson> {
        let mut members: OrderedMap<RawJson> = filter.parse().ok()?;
        members.retain(|name, value| {
            if !matches!(&**name, "resourceSubscriptions" | "taskIds") {
                return true;
            }
            let Ok(items) = value.parse::<Vec<String>>() else {
                return true;
            };
            let items = items.iter();
            let items = items.filter_map(|item| match &**name {
                "taskIds" => self.name(to, item),
                _ => self.uri(to, item),
            });
            let items: Vec<_> = items.collect();
            *value = RawJson::encode(&items);
            !items.is_empty()
        });
        Some(RawJson::encode(&members))
    }

    /// Edits the string that is the member `name` of an object.
    fn renamed(&self, to: To, name: &str, value: RawJsonRef<'_>) -> Option<RawJson> {
        let text: String = value.parse().ok()?;
        let text = match name {
            "name" | "taskId" => self.name(to, &text),
            _ => self.uri(to, &text),
        };
        text.map(|text| RawJson::encode(&text))
    }

    fn name(&self, to: To, name: &str) -> Option<String> {
        let prefix = &*self.prefix;
        match to {
            To::Client => Some(format!("{prefix}_{name}")),
            To::Server => Some(name.strip_prefix(prefix)?.strip_prefix('_')?.to_owned()),
        }
    }

    fn uri(&self, to: To, uri: &str) -> Option<String> {
        let prefix = &*self.prefix;
        let page = uri.strip_prefix("ui://");
        match (to, page) {
            (To::Client, Some(page)) => Some(format!("ui://{prefix}/{page}")),
            (To::Client, None) => Some(format!("{prefix}+{uri}")),
            (To::Server, _) => {
                let (found, rest) = match page {
                    Some(page) => page.split_once('/')?,
                    None => uri.split_once('+')?,
                };
                let scheme = page.map_or("", |_| "ui://");
                // Clients may normalize the case of schemes and hosts (RFC 3986, section 6.2.2.1).
                let is_ours = found.eq_ignore_ascii_case(prefix);
                is_ours.then(|| format!("{scheme}{rest}"))
            }
        }
    }
}

/// Returns the member of the parameters that names what a request is about.
pub(super) fn address(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Some("uri"),
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => Some("taskId"),
        "completion/complete" => Some("ref"),
        _ => None,
    }
}

fn is(members: &Members<'_>, name: &str, text: &str) -> bool {
    let member = members.get(name);
    member.is_some_and(|member| member.parse().is_ok_and(|found: String| found == text))
}

/// Replaces the members of an object for which `change` returns a value. Returns `None` if nothing
/// changes, or if `json` is not an object.
pub(super) fn edit(
    json: RawJsonRef<'_>,
    mut change: impl FnMut(&Members<'_>, &str, RawJsonRef<'_>) -> Option<RawJson>,
) -> Option<RawJson> {
    let members: Members<'_> = json.parse().ok()?;
    let mut changes = Vec::new();
    for (index, (name, value)) in members.iter().enumerate() {
        changes.extend(change(&members, name, *value).map(|value| (index, value)));
    }
    let mut edited = members;
    for (index, value) in &changes {
        edited[*index] = value.as_raw();
    }
    (!changes.is_empty()).then(|| RawJson::encode(&edited))
}

/// Replaces the elements of an array for which `change` returns a value, as [`edit`] does.
fn each(
    json: RawJsonRef<'_>,
    mut change: impl FnMut(RawJsonRef<'_>) -> Option<RawJson>,
) -> Option<RawJson> {
    let elements = json.elements().ok()?;
    let mut changes = Vec::new();
    for (index, value) in elements.iter().enumerate() {
        changes.extend(change(*value).map(|value| (index, value)));
    }
    let mut edited = elements;
    for (index, value) in &changes {
        edited[*index] = value.as_raw();
    }
    (!changes.is_empty()).then(|| RawJson::encode(&edited))
}

#[cfg(test)]
mod tests;
