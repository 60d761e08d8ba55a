//! Reads the messages of one revision: their senders, parameters and results.
//!
//! The JSON-RPC envelope is the same for all messages and is not generated. The model of a message has
//! only its method, its `params` and its result.

use super::ir::{Def, ErrorCode, Member, Method, Struct, Type, Union};
use super::lowering::{Lowering, Site, has_field, is_required};
use crate::codegen::schemas::subschemas::{alternatives, referred};
use serde_json::Value;

/// The unions that list the messages of one side.
const SENDERS: [&str; 4] = [
    "ClientRequest",
    "ClientNotification",
    "ServerRequest",
    "ServerNotification",
];

struct Sent<'a> {
    by: &'static str,
    method: &'a str,
    json: &'a Value,
}

impl Sent<'_> {
    fn is_request(&self) -> bool {
        self.by.ends_with("Request")
    }

    fn in_words(&self) -> String {
        let kind = if self.is_request() {
            "request"
        } else {
            "notification"
        };
        format!("a {kind} by #/$defs/{}", self.by)
    }
}

pub(crate) fn method_of(json: &Value) -> Option<&str> {
    json["properties"]["method"]["const"].as_str()
}

impl<'a> Lowering<'a> {
    /// Reads all methods and error codes, and the types that they use.
    pub(crate) fn messages(&mut self) {
        let schema = self.schema;
        let sent = self.sent();
        for (name, json) in &schema.defs {
            match method_of(json) {
                Some(_) if SENDERS.contains(&name.as_str()) => {}
                Some(method) => self.message(name, json, method, &sent),
                None if self.overlay.support(name).is_some() => {}
                None => self.error_code(name, json),
            }
        }
        for by in SENDERS {
            let sent = sent.iter().filter(|sent| sent.by == by);
            let members = sent.filter_map(|sent| {
                let params = self.model.methods.get(sent.method)?.params.clone();
                Some(Member {
                    ty: Type::Named(params),
                    method: Some(sent.method.to_owned()),
                })
            });
            let members = members.collect();
            if let Some(json) = schema.defs.get(by) {
                self.insert(by, Def::Union(Union { members }), json);
            }
        }
    }

    /// Reads the unions that list the messages of each side.
    fn sent(&mut self) -> Vec<Sent<'a>> {
        let mut sent = Vec::new();
        for by in SENDERS {
            let Some(json) = self.schema.defs.get(by) else {
                continue;
            };
            let members = alternatives(json).map_or(std::slice::from_ref(json), Vec::as_slice);
            for member in members {
                let json = self.resolve(member);
                match method_of(json) {
                    Some(method) => sent.push(Sent { by, method, json }),
                    None => drop(self.fault(member, "not a message: no constant `method`")),
                }
            }
        }
        sent
    }

    fn message(&mut self, name: &str, json: &'a Value, method: &str, sent: &[Sent<'_>]) {
        if let Some(other) = self.model.methods.get(method) {
            let what = format!("`{method}` is the method of `{}` as well", other.name);
            self.fault(json, &what);
            return;
        }
        let here: Vec<_> = sent.iter().filter(|sent| sent.method == method).collect();
        if let Some(other) = here.iter().find(|sent| sent.json != json) {
            let what = format!("differs from the message in #/$defs/{}", other.by);
            self.fault(json, &what);
        }
        let request = match here.first() {
            Some(first) => {
                self.check_kind(json, first, &here, sent);
                first.is_request()
            }
            None => {
                if !sent.is_empty() && (has_field(json, "id") || has_field(json, "jsonrpc")) {
                    let what = "no union lists who sends this message, such as \
                                #/$defs/ClientRequest; add it to one with a [[repair]]";
                    self.fault(json, what);
                }
                has_field(json, "id") || self.is_answered(name, json, method)
            }
        };
        let mut entry = Method {
            name: name.to_owned(),
            request,
            params_optional: !is_required(json, "params"),
            by_client: here.iter().any(|sent| sent.by.starts_with("Client")),
            by_server: here.iter().any(|sent| sent.by.starts_with("Server")),
            ..Method::default()
        };
        if request {
            (entry.result, entry.alternative) = self.result_of(name, json, method);
        }
        entry.params = self.params_of(name, json, method, request);
        self.model.methods.insert(method.to_owned(), entry);
    }

    /// Refuses a message whose kind in another union, or according to its `id`, differs from its kind in
    /// `first`.
    fn check_kind(
        &mut self,
        json: &Value,
        first: &Sent<'_>,
        here: &[&Sent<'_>],
        sent: &[Sent<'_>],
    ) {
        let union = first.in_words();
        let request = first.is_request();
        let has_id = has_field(json, "id");
        let mut with_id = sent
            .iter()
            .filter(|it| it.is_request() && has_field(it.json, "id"));
        if let Some(other) = here.iter().find(|it| it.is_request() != request) {
            self.fault(json, &format!("{union}, {}", other.in_words()));
        } else if has_id && !request {
            self.fault(json, &format!("{union}, but with an `id`"));
        } else if request
            && !has_id
            && let Some(other) = with_id.next()
        {
            let other = self.schema.pointer_to(other.json);
            let what = format!("{union}, but without the `id` of others, such as #{other}");
            self.fault(json, &what);
        }
    }

    /// Chooses the name for the type of `params`: the name that newer revisions use, if there is one.
    pub(crate) fn params_name(&self, name: &str, json: &Value, method: &str) -> String {
        let mut newer = self.newer.iter();
        let newer = newer.find_map(|model| Some(&*model.methods.get(method)?.params));
        let known = newer.or_else(|| referred(&json["properties"]["params"]));
        known.map_or_else(|| format!("{name}Params"), str::to_owned)
    }

    /// Reads `params`. For a message without `params`, this is an object without fields.
    fn params_of(&mut self, name: &str, json: &'a Value, method: &str, request: bool) -> String {
        let params = self.params_name(name, json, method);
        match json["properties"].get("params") {
            Some(json) => drop(self.body(json, &params)),
            None => {
                let empty = Def::Struct(Struct::default());
                self.model.types.insert(params.clone(), empty);
            }
        }
        // Older revisions declare `_meta` only on the base type of all messages.
        let base = if request { "Request" } else { "Notification" };
        let base = self.schema.defs.get(base);
        if let Some(meta) = base.and_then(|it| it.pointer("/properties/params/properties/_meta")) {
            let mut holders = vec![params.clone()];
            if let Some(Def::Union(union)) = self.model.types.get(&params) {
                let members = union.members.iter().filter_map(|member| member.ty.name());
                holders = members.map(str::to_owned).collect();
            }
            for holder in holders {
                self.add_field(&holder, "_meta", meta);
            }
        }
        params
    }

    /// Reads the definition of an error: its code, and the type of its `data` if there is one.
    fn error_code(&mut self, name: &str, json: &'a Value) {
        let fields = &json.pointer("/properties/error").unwrap_or(json)["properties"];
        let Some(code) = fields.pointer("/code/const") else {
            return;
        };
        self.reached.insert(name.to_owned());
        let Some(code) = code.as_i64() else {
            self.fault(json, "an error code that is not an integer");
            return;
        };
        let error = ErrorCode {
            name: name.strip_suffix("Error").unwrap_or(name).to_owned(),
            data: fields.get("data").and_then(|data| self.data_of(name, data)),
        };
        if let Some(other) = self.model.errors.insert(code, error) {
            let other = other.name;
            let what = format!("{code} is the code of another error as well, `{other}`");
            self.fault(json, &what);
        }
    }

    /// Reads the type of an error's `data`, if it is an object with fields.
    fn data_of(&mut self, error: &str, data: &'a Value) -> Option<String> {
        let place = format!("{error}Data");
        match self.any(data, Site::new(&place, None)) {
            Type::Named(name) => return Some(name),
            Type::Json { .. } | Type::Object { .. } => {}
            _ => drop(self.ask_any(data, &place, "the data of an error, but not an object")),
        }
        None
    }
}
