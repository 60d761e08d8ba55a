//! The messages of one revision: who sends them, with what, and how they are answered.
//!
//! The JSON-RPC envelope around a message is the same everywhere and written by
//! hand; what is left of a message is its method, its `params` and its result.

use super::error::Result;
use super::ir::{Def, ErrorCode, Member, Method, Type, Union};
use super::lower::{Lowering, fields};
use super::simplify::referred;
use serde_json::Value;

/// The unions that say who sends what.
const SENDERS: [(&str, Sender); 4] = [
    ("ClientRequest", Sender::Client),
    ("ClientNotification", Sender::Client),
    ("ServerRequest", Sender::Server),
    ("ServerNotification", Sender::Server),
];

#[derive(Clone, Copy, PartialEq)]
enum Sender {
    Client,
    Server,
}

/// Takes over all methods and error codes, and the types they reach.
pub(crate) fn collect(lowering: &mut Lowering<'_>) -> Result<()> {
    let schema = lowering.schema;
    for (name, json) in &schema.defs {
        let union = SENDERS.iter().any(|(union, _)| union == name);
        if let (Some(method), false) = (method_of(json), union) {
            message(lowering, name, json, method)?;
        }
    }
    for (union, sender) in SENDERS {
        senders(lowering, union, sender)?;
    }
    for (name, json) in &schema.defs {
        error_code(lowering, name, json)?;
    }
    Ok(())
}

/// The method of a message's schema.
pub(crate) fn method_of(json: &Value) -> Option<&str> {
    fields(json)?.get("method")?.get("const")?.as_str()
}

fn message(lowering: &mut Lowering<'_>, name: &str, json: &Value, method: &str) -> Result<()> {
    let request = name.ends_with("Request");
    let required = json
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let params_optional = !required.into_iter().any(|field| field == "params");
    let (result, alternative) = match request {
        true => result_of(lowering, name)?,
        false => (None, None),
    };
    let entry = Method {
        name: name.to_owned(),
        request,
        params: params_of(lowering, name, method)?,
        params_optional,
        result,
        alternative,
        by_client: false,
        by_server: false,
    };
    lowering.model.methods.insert(method.to_owned(), entry);
    Ok(())
}

/// The name that the type of `params` goes by: the one that newer revisions use.
pub(crate) fn params_name(lowering: &Lowering<'_>, name: &str, method: &str) -> Option<String> {
    let json = fields(&lowering.schema.defs[name])?.get("params")?;
    let newer = lowering
        .newer
        .iter()
        .find_map(|model| model.methods.get(method));
    let newer = newer.and_then(|method| method.params.clone());
    let own = || referred(json).map(str::to_owned);
    newer.or_else(own).or_else(|| Some(format!("{name}Params")))
}

/// Takes over `params`.
fn params_of(lowering: &mut Lowering<'_>, name: &str, method: &str) -> Result<Option<String>> {
    let schema = lowering.schema;
    let Some(params) = params_name(lowering, name, method) else {
        return Ok(None);
    };
    let json = &schema.defs[name]["properties"]["params"];
    let pointer = format!("{}/properties/params", schema.pointer(name));
    if referred(json) == Some(&params) {
        lowering.any(json, name, None)?;
    } else {
        let json = lowering.resolve(json);
        lowering.originate(&params, pointer);
        lowering.structure(json, &params)?;
    }
    inherit_meta(lowering, name, &params)?;
    Ok(Some(params))
}

/// Older revisions declare `_meta` on the base of all messages only.
fn inherit_meta(lowering: &mut Lowering<'_>, name: &str, params: &str) -> Result<()> {
    let base = if name.ends_with("Request") {
        "Request"
    } else {
        "Notification"
    };
    let schema = lowering.schema;
    let base = schema
        .defs
        .get(base)
        .and_then(fields)
        .and_then(|fields| fields.get("params"));
    let Some(meta) = base.and_then(fields).and_then(|fields| fields.get("_meta")) else {
        return Ok(());
    };
    let holder = match lowering.model.types.get(params) {
        Some(Def::Union(union)) => union.members.first().and_then(|member| member.ty.name()),
        _ => Some(params),
    };
    let Some(holder) = holder.map(str::to_owned) else {
        return Ok(());
    };
    lowering.add_field(&holder, "_meta", meta)
}

/// The type of the result, and of the one that may come instead.
fn result_of(lowering: &mut Lowering<'_>, name: &str) -> Result<(Option<String>, Option<String>)> {
    let schema = lowering.schema;
    let stem = name.trim_end_matches("Request");
    let response = schema.defs.get(&format!("{stem}ResultResponse"));
    let response = response
        .and_then(fields)
        .and_then(|fields| fields.get("result"));
    let expected = format!("{stem}Result");
    let expected = if schema.defs.contains_key(&expected) {
        &expected
    } else {
        "EmptyResult"
    };
    let alternatives = response
        .and_then(|json| json.get("anyOf"))
        .and_then(Value::as_array);
    let mut alternative = None;
    for json in alternatives.into_iter().flatten() {
        if referred(json).is_some_and(|name| name != expected) {
            alternative = lowering.any(json, name, None)?.name().map(str::to_owned);
        }
    }
    let target = schema.defs.get(expected);
    let Some(target) = target else {
        return Err(lowering.fault(name, "no result for this request"));
    };
    let target = lowering.resolve(target);
    lowering.structure(target, expected)?;
    Ok((Some(expected.to_owned()), alternative))
}

/// Records who sends what, and the union of it.
fn senders(lowering: &mut Lowering<'_>, union: &str, sender: Sender) -> Result<()> {
    let schema = lowering.schema;
    let Some(json) = schema.defs.get(union) else {
        return Ok(());
    };
    let alternatives = json.get("anyOf").and_then(Value::as_array);
    let alternatives = alternatives.map_or(std::slice::from_ref(json), Vec::as_slice);
    let mut out = Union::default();
    for json in alternatives {
        let known = method_of(lowering.resolve(json));
        let known =
            known.and_then(|method| Some((method, lowering.model.methods.get_mut(method)?)));
        let Some((name, method)) = known else {
            return Err(lowering.fault(union, "an alternative that is no message"));
        };
        match sender {
            Sender::Client => method.by_client = true,
            Sender::Server => method.by_server = true,
        }
        if let Some(params) = method.params.clone() {
            let ty = Type::Named(params);
            out.members.push(Member {
                ty,
                method: Some(name.to_owned()),
            });
        }
    }
    lowering.insert(union, Def::Union(out), union)?;
    Ok(())
}

/// Takes over an error definition: its code, and its `data` where that is fixed.
fn error_code(lowering: &mut Lowering<'_>, name: &str, json: &Value) -> Result<()> {
    if lowering.overlay.support(name).is_some() {
        return Ok(());
    }
    let schema = lowering.schema;
    let wrapped = schema.defs[name]
        .pointer("/properties/error")
        .unwrap_or(&schema.defs[name]);
    let code = json.pointer("/properties/error/properties/code/const");
    let code = code
        .or_else(|| json.pointer("/properties/code/const"))
        .and_then(Value::as_i64);
    let Some(code) = code else {
        return Ok(());
    };
    let data = match fields(wrapped).and_then(|fields| fields.get("data")) {
        Some(data) if fields(data).is_some() => {
            let holder = schema.pointer(name);
            let holder = if wrapped == json {
                holder
            } else {
                holder + "/properties/error"
            };
            lowering.originate(&format!("{name}Data"), holder + "/properties/data");
            let data = lowering.structure(data, &format!("{name}Data"))?;
            data.name().map(str::to_owned)
        }
        _ => None,
    };
    let name = name.trim_end_matches("Error").to_owned();
    lowering.model.errors.insert(code, ErrorCode { name, data });
    Ok(())
}
