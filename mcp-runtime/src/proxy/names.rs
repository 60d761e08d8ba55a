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

use std::borrow::Cow;

use mcp_types::jsonrpc::code;
use mcp_types::{ErrorObject, OrderedMap, RawJson, RawJsonRef, meta_keys, methods};

use crate::protocol::{Namespace, PAGE_KEYS, RESOURCE_NOT_FOUND};

/// The members of an object, with undecoded values.
pub(super) type Members<'a> = OrderedMap<RawJsonRef<'a>>;

const SAMPLING: &str = methods::SAMPLING_CREATE_MESSAGE;

/// The side that receives a message.
#[derive(Clone, Copy)]
enum To {
    Client,
    Server,
}

/// A value in a message. It decides which members of the value are edited.
#[derive(Clone, Copy)]
enum JsonPart<'a> {
    /// The parameters of a request of the client, by its method.
    Request(&'a str),
    /// The result of a request of the client, by its method.
    Result(&'a str),
    /// The parameters of a notification of the server, by its method.
    Notification(&'a str),
    /// The parameters of a question of the server, by its method.
    Question(&'a str),
    /// An object without names of its own.
    Other,
    Name,
    Uri,
    /// An object that this member, a name or a URI, identifies.
    Entry(&'a str),
    List(&'a JsonPart<'a>),
    /// The filter of a subscription.
    Filter,
    /// The reference of a completion.
    Reference,
    Message,
    Block,
    /// One content block, or a list of them.
    Content,
    Meta,
    InputRequests,
    InputRequest,
}

impl JsonPart<'_> {
    /// Returns the part that a member of this object is, or `None` if the member stays as it is.
    fn member(self, members: &Members<'_>, name: &str) -> Option<JsonPart<'static>> {
        use JsonPart::*;
        let is = |member: &str, text: &str| {
            let member = members.get(member);
            member.is_some_and(|it| it.parse().is_ok_and(|found: String| found == text))
        };
        Some(match (self, name) {
            (Meta, meta_keys::RELATED_TASK) => Entry("taskId"),
            (Meta, "ui") => Entry("resourceUri"),
            (Meta, key) if PAGE_KEYS.contains(&key) => Uri,
            (InputRequests, _) => InputRequest,
            (InputRequest, "params") if is("method", SAMPLING) => Question(SAMPLING),
            (InputRequest, "params") => Other,
            (Reference, "name") if is("type", "ref/prompt") => Name,
            (Reference, "uri") if is("type", "ref/resource") => Uri,
            (Meta | InputRequest | Reference, _) => return None,
            (_, "_meta") => Meta,
            (Entry("name"), "name") | (Entry("taskId"), "taskId") => Name,
            (Entry(key), _) if key == name => Uri,
            (Block, "uri") if is("type", "resource_link") => Uri,
            (Block, "resource") if is("type", "resource") => Entry("uri"),
            (Block, "content") if is("type", "tool_result") => Content,
            (Message, "content") => Content,
            (Question(SAMPLING), "messages") => List(&Message),
            (Request("subscriptions/listen"), "notifications") => Filter,
            (Request(method), _) if address(method) == Some(name) => match name {
                "ref" => Reference,
                "uri" => Uri,
                _ => Name,
            },
            (Notification("notifications/subscriptions/acknowledged"), "notifications") => Filter,
            (Notification("notifications/tasks/status"), "taskId") => Name,
            (Notification("notifications/resources/updated"), "uri") => Uri,
            (Notification("notifications/tasks"), _) => {
                return Result("tasks/get").member(members, name);
            }
            (Result(_), "inputRequests") => InputRequests,
            (Result("tools/list"), "tools") | (Result("prompts/list"), "prompts") => {
                List(&Entry("name"))
            }
            (Result("resources/list"), "resources") | (Result("resources/read"), "contents") => {
                List(&Entry("uri"))
            }
            (Result("resources/templates/list"), "resourceTemplates") => {
                List(&Entry("uriTemplate"))
            }
            (Result("tasks/list"), "tasks") => List(&Entry("taskId")),
            (Result("prompts/get"), "messages") => List(&Message),
            (Result("tools/call" | "tasks/result"), "content") => Content,
            (Result("tools/call"), "task") => Entry("taskId"),
            (Result("tools/call"), "taskId") if is("resultType", "task") => Name,
            (Result("tasks/get" | "tasks/cancel"), "taskId") => Name,
            (Result("tasks/get"), "result") => Result("tools/call"),
            _ => return None,
        })
    }
}

/// Adds the prefix of a server to its names, and removes the prefix from requests.
///
/// An empty prefix changes nothing.
#[derive(Clone, Debug)]
pub(super) struct Names {
    namespace: Namespace,
}

impl Names {
    /// Creates names with `prefix`, which consists of ASCII letters, digits and `-`, and begins with
    /// a letter. The first `_` of a name and the first `+` of a URI therefore end the prefix.
    pub(super) fn new(prefix: impl AsRef<str>) -> Self {
        let namespace = Namespace::new(prefix.as_ref());
        Self { namespace }
    }

    pub(super) fn prefix(&self) -> &str {
        self.namespace.prefix()
    }

    /// Returns the parameters of a request or notification of the client as the server knows them.
    /// Returns `None` if they name something that does not belong to this server.
    ///
    /// A filter of `subscriptions/listen` keeps only the URIs and task ids of this server. It may
    /// become empty.
    pub(super) fn request(&self, method: &str, params: &RawJson) -> Option<RawJson> {
        if self.prefix().is_empty() {
            return Some(params.clone());
        }
        let address = address(method);
        let mut is_addressed = address.is_none();
        let edited = edit(params.as_raw(), |members, name, value| {
            let part = JsonPart::Request(method).member(members, name)?;
            let own = self.renamed(To::Server, part, value);
            is_addressed |= address == Some(name) && own.is_some();
            own
        });
        is_addressed.then(|| edited.unwrap_or_else(|| params.clone()))
    }

    /// Returns the client's answer to a question as the server knows it.
    pub(super) fn answer(&self, answer: RawJson) -> RawJson {
        self.edited(To::Server, JsonPart::Other, answer)
    }

    /// Returns a result of the server as the client sees it. Structured content stays as it is.
    pub(super) fn result(&self, method: &str, result: RawJson) -> RawJson {
        self.edited(To::Client, JsonPart::Result(method), result)
    }

    /// Returns an error of the server as the client sees it: with the URI that the client requested.
    pub(super) fn error(&self, mut error: ErrorObject) -> ErrorObject {
        let has_uri = [RESOURCE_NOT_FOUND, code::INVALID_PARAMS];
        if has_uri.contains(&error.code) {
            let data = error.data.take();
            error.data = data.map(|data| self.edited(To::Client, JsonPart::Entry("uri"), data));
        }
        error
    }

    /// Returns the parameters of a notification of the server as the client sees them.
    pub(super) fn notification(&self, method: &str, params: RawJson) -> RawJson {
        self.edited(To::Client, JsonPart::Notification(method), params)
    }

    /// Returns the parameters of a question of the server as the client sees them.
    pub(super) fn question(&self, method: &str, params: RawJson) -> RawJson {
        self.edited(To::Client, JsonPart::Question(method), params)
    }

    fn edited(&self, to: To, part: JsonPart<'_>, json: RawJson) -> RawJson {
        if self.prefix().is_empty() {
            return json;
        }
        self.renamed(to, part, json.as_raw()).unwrap_or(json)
    }

    /// Returns the value with other names, or `None` if it stays as it is.
    fn renamed(&self, to: To, part: JsonPart<'_>, value: RawJsonRef<'_>) -> Option<RawJson> {
        match part {
            JsonPart::Name | JsonPart::Uri => {
                let text = self.text(to, part, &value.parse::<String>().ok()?)?;
                Some(RawJson::encode(&text))
            }
            JsonPart::List(item) => each(value, |value| self.renamed(to, *item, value)),
            JsonPart::Content if value.is_object() => self.renamed(to, JsonPart::Block, value),
            JsonPart::Content => self.renamed(to, JsonPart::List(&JsonPart::Block), value),
            JsonPart::Filter => self.filter(to, value),
            _ => edit(value, |members, name, value| {
                self.renamed(to, part.member(members, name)?, value)
            }),
        }
    }

    /// Edits the filter of a subscription. A list without an item for the receiver is left out.
    fn filter(&self, to: To, filter: RawJsonRef<'_>) -> Option<RawJson> {
        let mut members: OrderedMap<RawJson> = filter.parse().ok()?;
        members.retain(|name, value| {
            let part = match &**name {
                "taskIds" => JsonPart::Name,
                "resourceSubscriptions" => JsonPart::Uri,
                _ => return true,
            };
            let Ok(items) = value.parse::<Vec<String>>() else {
                return true;
            };
            let items = items.iter().filter_map(|item| self.text(to, part, item));
            let items: Vec<_> = items.collect();
            *value = RawJson::encode(&items);
            !items.is_empty()
        });
        Some(RawJson::encode(&members))
    }

    /// Returns a name or a URI as the receiver knows it. Returns `None` if it belongs to another
    /// server.
    fn text(&self, to: To, part: JsonPart<'_>, text: &str) -> Option<String> {
        let namespace = &self.namespace;
        match (to, part) {
            (To::Client, JsonPart::Name) => Some(namespace.name(text)),
            (To::Client, _) => Some(namespace.uri(text)),
            (To::Server, JsonPart::Name) => namespace.strip_name(text).map(str::to_owned),
            (To::Server, _) => namespace.strip(text).map(Cow::into_owned),
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

/// Replaces the members of an object for which `change` returns a value. Returns `None` if nothing
/// changes, or if `json` is not an object.
fn edit(
    json: RawJsonRef<'_>,
    mut change: impl FnMut(&Members<'_>, &str, RawJsonRef<'_>) -> Option<RawJson>,
) -> Option<RawJson> {
    let members: Members<'_> = json.parse().ok()?;
    let changes = members.iter();
    let changes = changes.map(|(name, value)| change(&members, name, *value));
    let changes: Vec<_> = changes.collect();
    let mut edited = members.clone();
    replace(edited.values_mut(), &changes).then(|| RawJson::encode(&edited))
}

/// Replaces the elements of an array for which `change` returns a value, as [`edit`] does.
fn each(
    json: RawJsonRef<'_>,
    change: impl FnMut(RawJsonRef<'_>) -> Option<RawJson>,
) -> Option<RawJson> {
    let mut elements = json.elements().ok()?;
    let changes: Vec<_> = elements.iter().copied().map(change).collect();
    replace(elements.iter_mut(), &changes).then(|| RawJson::encode(&elements))
}

/// Replaces the values that have a change. Returns true if there is one.
fn replace<'v, 'a: 'v>(
    values: impl Iterator<Item = &'v mut RawJsonRef<'a>>,
    changes: &'a [Option<RawJson>],
) -> bool {
    for (value, change) in values.zip(changes) {
        change.iter().for_each(|change| *value = change.as_raw());
    }
    changes.iter().any(Option::is_some)
}

#[cfg(test)]
mod tests;
