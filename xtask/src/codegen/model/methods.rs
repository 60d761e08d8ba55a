//! The messages of one revision: who sends them, with what, and how they are answered.
//!
//! The JSON-RPC envelope around a message is the same everywhere and written by
//! hand; what is left of a message is its method, its `params` and its result.

use super::ir::{Def, ErrorCode, Member, Method, Struct, Type, Union};
use super::lowering::{Lowering, Site, fields};
use super::results::{is_answered, result_of};
use crate::codegen::schemas::subschemas::{alternatives, referred};
use serde_json::Value;

/// A union that lists what one side sends.
#[derive(PartialEq)]
struct Sender {
    name: &'static str,
    client: bool,
    request: bool,
}

const SENDERS: [Sender; 4] = [
    sender("ClientRequest", true, true),
    sender("ClientNotification", true, false),
    sender("ServerRequest", false, true),
    sender("ServerNotification", false, false),
];

const fn sender(name: &'static str, client: bool, request: bool) -> Sender {
    Sender {
        name,
        client,
        request,
    }
}

/// A message in one of these unions.
struct Sent<'a> {
    by: &'static Sender,
    method: &'a str,
    json: &'a Value,
}

/// Takes over all methods and error codes, and the types they reach.
pub(crate) fn collect(lowering: &mut Lowering<'_>) {
    let schema = lowering.schema;
    let sent = sent(lowering);
    for (name, json) in &schema.defs {
        let is_union = SENDERS.iter().any(|by| by.name == name);
        if let (Some(method), false) = (method_of(json), is_union) {
            lowering.reached.insert(name.clone());
            message(lowering, name, json, method, &sent);
        }
    }
    for by in &SENDERS {
        senders(lowering, by, &sent);
    }
    for (name, json) in &schema.defs {
        error_code(lowering, name, json);
    }
}

/// The method of a message's schema.
pub(crate) fn method_of(json: &Value) -> Option<&str> {
    fields(json)?.get("method")?.get("const")?.as_str()
}

/// Reads the unions that list who sends what.
fn sent<'a>(lowering: &mut Lowering<'a>) -> Vec<Sent<'a>> {
    let schema = lowering.schema;
    let mut sent = Vec::new();
    for by in &SENDERS {
        let Some(json) = schema.defs.get(by.name) else {
            continue;
        };
        lowering.reached.insert(by.name.to_owned());
        let members = alternatives(json).map_or(std::slice::from_ref(json), Vec::as_slice);
        for member in members {
            let json = lowering.resolve(member);
            match method_of(json) {
                Some(method) => sent.push(Sent { by, method, json }),
                None => drop(lowering.fault(member, "not a message: no constant `method`")),
            }
        }
    }
    sent
}

fn message<'a>(
    lowering: &mut Lowering<'a>,
    name: &'a str,
    json: &'a Value,
    method: &str,
    sent: &[Sent<'_>],
) {
    if let Some(other) = lowering.model.methods.get(method) {
        let what = format!("`{method}` is the method of `{}` as well", other.name);
        lowering.fault(json, &what);
        return;
    }
    let sent_here: Vec<_> = sent.iter().filter(|sent| sent.method == method).collect();
    if let Some(other) = sent_here.iter().find(|sent| sent.json != json) {
        let what = format!("differs from the message in #/$defs/{}", other.by.name);
        lowering.fault(json, &what);
    }
    let request = match sent_here.first() {
        Some(first) => is_request(lowering, json, first, &sent_here, sent),
        None => {
            if !sent.is_empty() && (has(json, "id") || has(json, "jsonrpc")) {
                let what = "no union lists who sends this message, such as #/$defs/ClientRequest; \
                            add it to one with a [[repair]]";
                lowering.fault(json, what);
            }
            has(json, "id") || is_answered(lowering, name, json, method)
        }
    };
    let (result, alternative) = match request {
        true => result_of(lowering, name, json, method),
        false => (None, None),
    };
    let mut required = json["required"].as_array().into_iter().flatten();
    let entry = Method {
        name: name.to_owned(),
        request,
        params: Some(params_of(lowering, name, json, method, request)),
        params_optional: !required.any(|field| field == "params"),
        result,
        alternative,
        by_client: sent_here.iter().any(|sent| sent.by.client),
        by_server: sent_here.iter().any(|sent| !sent.by.client),
    };
    lowering.model.methods.insert(method.to_owned(), entry);
}

/// Whether a message has an answer, by the first union that it is in; the others, and the `id` of
/// requests, have to agree.
fn is_request(
    lowering: &mut Lowering<'_>,
    json: &Value,
    first: &Sent<'_>,
    sent_here: &[&Sent<'_>],
    sent: &[Sent<'_>],
) -> bool {
    let in_words = |by: &Sender| {
        let kind = if by.request {
            "request"
        } else {
            "notification"
        };
        format!("a {kind} by #/$defs/{}", by.name)
    };
    let union = in_words(first.by);
    let request = first.by.request;
    let mut with_id = sent.iter().filter(|it| it.by.request && has(it.json, "id"));
    let other = sent_here.iter().find(|it| it.by.request != request);
    let what = match (other, request, has(json, "id")) {
        (Some(other), ..) => Some(format!("{union}, {}", in_words(other.by))),
        (None, true, false) => with_id.next().map(|other| {
            let other = lowering.schema.pointer_to(other.json);
            format!("{union}, but without the `id` of others, such as #{other}")
        }),
        (None, false, true) => Some(format!("{union}, but with an `id`")),
        (None, true, true) | (None, false, false) => None,
    };
    if let Some(what) = what {
        lowering.fault(json, &what);
    }
    request
}

fn has(json: &Value, field: &str) -> bool {
    fields(json).is_some_and(|fields| fields.contains_key(field))
}

/// The name that the type of `params` goes by: the one that newer revisions use.
pub(crate) fn params_name(
    lowering: &Lowering<'_>,
    name: &str,
    json: &Value,
    method: &str,
) -> String {
    let mut newer = lowering.newer.iter();
    let newer = newer.find_map(|model| model.methods.get(method)?.params.as_deref());
    let own = || referred(fields(json)?.get("params")?);
    let known = newer.or_else(own).map(str::to_owned);
    known.unwrap_or_else(|| format!("{name}Params"))
}

/// Takes over `params`; a message without has an object without fields.
fn params_of<'a>(
    lowering: &mut Lowering<'a>,
    name: &str,
    json: &'a Value,
    method: &str,
    request: bool,
) -> String {
    let params = params_name(lowering, name, json, method);
    match fields(json).and_then(|fields| fields.get("params")) {
        Some(json) => drop(lowering.body(json, &params)),
        None => {
            let empty = Def::Struct(Struct::default());
            lowering.model.types.insert(params.clone(), empty);
        }
    }
    inherit_meta(lowering, request, &params);
    params
}

/// Older revisions declare `_meta` on the base of all messages only.
fn inherit_meta(lowering: &mut Lowering<'_>, request: bool, params: &str) {
    let base = if request { "Request" } else { "Notification" };
    let base = lowering.schema.defs.get(base);
    let meta = base.and_then(|base| base.pointer("/properties/params/properties/_meta"));
    let Some(meta) = meta else {
        return;
    };
    let holders = match lowering.model.types.get(params) {
        Some(Def::Union(union)) => {
            let members = union.members.iter().filter_map(|member| member.ty.name());
            members.map(str::to_owned).collect()
        }
        _ => vec![params.to_owned()],
    };
    for holder in holders {
        lowering.add_field(&holder, "_meta", meta);
    }
}

/// Takes over the union of what one side sends.
fn senders(lowering: &mut Lowering<'_>, by: &Sender, sent: &[Sent<'_>]) {
    let Some(json) = lowering.schema.defs.get(by.name) else {
        return;
    };
    let sent = sent.iter().filter(|sent| sent.by == by);
    let members = sent.filter_map(|sent| {
        let params = lowering.model.methods.get(sent.method)?.params.clone()?;
        Some(Member {
            ty: Type::Named(params),
            method: Some(sent.method.to_owned()),
        })
    });
    let members = members.collect();
    lowering.insert(by.name, Def::Union(Union { members }), json);
}

/// Takes over an error definition: its code, and its `data` where that is fixed.
fn error_code<'a>(lowering: &mut Lowering<'a>, name: &str, json: &'a Value) {
    if lowering.overlay.support(name).is_some() {
        return;
    }
    let fields = &json.pointer("/properties/error").unwrap_or(json)["properties"];
    let Some(value) = fields.pointer("/code/const") else {
        return;
    };
    lowering.reached.insert(name.to_owned());
    let Some(code) = value.as_i64() else {
        lowering.fault(json, "an error code that is no integer");
        return;
    };
    let error = ErrorCode {
        name: name.strip_suffix("Error").unwrap_or(name).to_owned(),
        data: fields
            .get("data")
            .and_then(|data| data_of(lowering, name, data)),
    };
    if let Some(other) = lowering.model.errors.insert(code, error) {
        let what = format!(
            "{code} is the code of another error as well, `{}`",
            other.name
        );
        lowering.fault(json, &what);
    }
}

/// The type of an error's `data`, where that is an object with fields.
fn data_of<'a>(lowering: &mut Lowering<'a>, error: &str, data: &'a Value) -> Option<String> {
    let place = format!("{error}Data");
    let site = Site::new(&place, None);
    match lowering.any(data, site) {
        Type::Named(name) => Some(name),
        Type::Json { .. } | Type::Object { .. } => None,
        _ => {
            lowering.ask_any(data, &place, "the data of an error, but not an object");
            None
        }
    }
}
