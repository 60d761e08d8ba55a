//! The messages of one revision: who sends them, with what, and how they are answered.
//!
//! The JSON-RPC envelope around a message is the same everywhere and written by
//! hand; what is left of a message is its method, its `params` and its result.

use super::ir::{Def, ErrorCode, Member, Method, Struct, Type, Union};
use super::lowering::{Lowering, fields};
use super::results::{is_answered, result_of};
use super::subschemas::{alternatives, referred};
use serde_json::Value;

/// A message in one of the unions that list who sends what.
struct Sent<'a> {
    union: &'static str,
    by_client: bool,
    request: bool,
    method: &'a str,
    json: &'a Value,
}

/// The unions that list who sends what: the name, and whether these are clients, and requests.
const SENDERS: [(&str, bool, bool); 4] = [
    ("ClientRequest", true, true),
    ("ClientNotification", true, false),
    ("ServerRequest", false, true),
    ("ServerNotification", false, false),
];

/// Takes over all methods and error codes, and the types they reach.
pub(crate) fn collect(lowering: &mut Lowering<'_>) {
    let schema = lowering.schema;
    let sent = sent(lowering);
    for (name, json) in &schema.defs {
        let union = SENDERS.iter().any(|(union, ..)| union == name);
        if let (Some(method), false) = (method_of(json), union) {
            lowering.reached.insert(name.clone());
            message(lowering, name, json, method, &sent);
        }
    }
    for (union, ..) in SENDERS {
        senders(lowering, union, &sent);
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
    for (union, by_client, request) in SENDERS {
        let Some(json) = schema.defs.get(union) else {
            continue;
        };
        lowering.reached.insert(union.to_owned());
        let members = alternatives(json).map_or(std::slice::from_ref(json), Vec::as_slice);
        for member in members {
            let json = lowering.resolve(member);
            match method_of(json) {
                Some(method) => sent.push(Sent {
                    union,
                    by_client,
                    request,
                    method,
                    json,
                }),
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
    let mut same = sent.iter().filter(|sent| sent.method == method);
    if let Some(other) = same.find(|sent| sent.json != json) {
        let what = format!("differs from the message in #/$defs/{}", other.union);
        lowering.fault(json, &what);
    }
    let mut required = json["required"].as_array().into_iter().flatten();
    let params_optional = !required.any(|field| field == "params");
    let request = is_request(lowering, name, json, method, sent);
    let (result, alternative) = match request {
        true => result_of(lowering, name, json, method),
        false => (None, None),
    };
    let by = |client| {
        let mut sent = sent.iter();
        sent.any(|sent| sent.method == method && sent.by_client == client)
    };
    let entry = Method {
        name: name.to_owned(),
        request,
        params: Some(params_of(lowering, name, json, method, request)),
        params_optional,
        result,
        alternative,
        by_client: by(true),
        by_server: by(false),
    };
    lowering.model.methods.insert(method.to_owned(), entry);
}

/// Whether a message has an answer, by the unions it is in, its `id`, or else its result.
fn is_request(
    lowering: &mut Lowering<'_>,
    name: &str,
    json: &Value,
    method: &str,
    sent: &[Sent<'_>],
) -> bool {
    let has = |json, field| fields(json).is_some_and(|fields| fields.contains_key(field));
    let in_union = |request| {
        let mut sent = sent.iter();
        sent.find(|sent| sent.method == method && sent.request == request)
    };
    let with_id = sent
        .iter()
        .find(|sent| sent.request && has(sent.json, "id"));
    match (in_union(true), in_union(false), has(json, "id")) {
        (Some(request), Some(notification), _) => {
            let what = format!(
                "a request by #/$defs/{}, a notification by #/$defs/{}",
                request.union, notification.union
            );
            lowering.fault(json, &what);
        }
        (Some(request), None, false) => {
            if let Some(other) = with_id {
                let other = lowering.schema.pointer_to(other.json);
                let what = format!(
                    "a request by #/$defs/{}, but without the `id` of others, such as #{other}",
                    request.union
                );
                lowering.fault(json, &what);
            }
        }
        (None, Some(notification), true) => {
            let what = format!(
                "a notification by #/$defs/{}, but with an `id`",
                notification.union
            );
            lowering.fault(json, &what);
        }
        (Some(_), None, true) | (None, Some(_), false) => {}
        (None, None, id) => {
            if !sent.is_empty() && (id || has(json, "jsonrpc")) {
                let what = "no union lists who sends this message, such as #/$defs/ClientRequest; \
                            add it to one with a [[repair]]";
                lowering.fault(json, what);
            }
            return id || is_answered(lowering, name, json, method);
        }
    }
    in_union(true).is_some()
}

/// The name that the type of `params` goes by: the one that newer revisions use.
pub(crate) fn params_name(
    lowering: &Lowering<'_>,
    name: &str,
    json: &Value,
    method: &str,
) -> String {
    let mut newer = lowering.newer.iter();
    let newer = newer.find_map(|model| model.methods.get(method)?.params.clone());
    let own = || fields(json).and_then(|fields| referred(fields.get("params")?));
    newer
        .or_else(|| own().map(str::to_owned))
        .unwrap_or_else(|| format!("{name}Params"))
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
    let Some(json) = fields(json).and_then(|fields| fields.get("params")) else {
        let empty = Def::Struct(Struct::default());
        lowering.model.types.insert(params.clone(), empty);
        inherit_meta(lowering, request, &params);
        return params;
    };
    if referred(json) != Some(&params) {
        lowering.originate(&params, lowering.schema.pointer_to(json));
    }
    lowering.body(json, &params);
    inherit_meta(lowering, request, &params);
    params
}

/// Older revisions declare `_meta` on the base of all messages only.
fn inherit_meta(lowering: &mut Lowering<'_>, request: bool, params: &str) {
    let base = if request { "Request" } else { "Notification" };
    let schema = lowering.schema;
    let base = schema.defs.get(base);
    let meta = base.and_then(|base| base.pointer("/properties/params/properties/_meta"));
    let holders: Vec<_> = match lowering.model.types.get(params) {
        Some(Def::Union(union)) => {
            let members = union.members.iter().filter_map(|member| member.ty.name());
            members.map(str::to_owned).collect()
        }
        Some(Def::Struct(_) | Def::Enum(_)) | None => vec![params.to_owned()],
    };
    for (holder, meta) in holders.iter().flat_map(|holder| Some((holder, meta?))) {
        lowering.add_field(holder, "_meta", meta);
    }
}

/// Takes over the union of what one side sends.
fn senders(lowering: &mut Lowering<'_>, union: &str, sent: &[Sent<'_>]) {
    let mut out = Union::default();
    for sent in sent.iter().filter(|sent| sent.union == union) {
        let method = lowering.model.methods.get(sent.method);
        if let Some(params) = method.and_then(|method| method.params.clone()) {
            out.members.push(Member {
                ty: Type::Named(params),
                method: Some(sent.method.to_owned()),
            });
        }
    }
    if lowering.schema.defs.contains_key(union) {
        lowering.insert(union, Def::Union(out), union);
    }
}

/// Takes over an error definition: its code, and its `data` where that is fixed.
fn error_code<'a>(lowering: &mut Lowering<'a>, name: &str, json: &'a Value) {
    if lowering.overlay.support(name).is_some() {
        return;
    }
    let wrapped = json.pointer("/properties/error");
    let Some(fields) = fields(wrapped.unwrap_or(json)) else {
        return;
    };
    let Some(value) = fields.get("code").and_then(|code| code.get("const")) else {
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
    if referred(data).is_none() {
        lowering.originate(&place, lowering.schema.pointer_to(data));
    }
    match lowering.any(data, &place, None) {
        Type::Named(name) => Some(name),
        Type::Json { .. } | Type::Object { .. } => None,
        _ => {
            lowering.ask_any(data, &place, "the data of an error, but not an object");
            None
        }
    }
}
