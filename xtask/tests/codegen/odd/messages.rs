//! Tests of unusual requests, notifications, results and error codes.

use super::front::{failure, generated};
use serde_json::{Value, json};

/// Adds a client request called `name` with additional properties.
fn request(defs: &mut Value, name: &str, properties: &[(&str, Value)]) {
    defs[name] = json!({
        "type": "object",
        "properties": {
            "id": {"$ref": "#/$defs/RequestId"},
            "jsonrpc": {"const": "2.0", "type": "string"},
            "method": {"const": "odd/taste", "type": "string"},
            "params": {"$ref": "#/$defs/RequestParams"},
        },
        "required": ["id", "jsonrpc", "method", "params"],
    });
    for (key, value) in properties {
        defs[name]["properties"][*key] = value.clone();
    }
    add(defs, "ClientRequest", name);
}

fn add(defs: &mut Value, union: &str, name: &str) {
    let members = defs[union]["anyOf"].as_array_mut().unwrap();
    members.push(json!({ "$ref": format!("#/$defs/{name}") }));
}

fn without(defs: &mut Value, name: &str, field: &str) {
    defs[name]["properties"]
        .as_object_mut()
        .unwrap()
        .remove(field);
    let required = defs[name]["required"].as_array_mut().unwrap();
    required.retain(|name| name != field);
}

fn answer(defs: &mut Value, name: &str, result: Value) {
    defs[name] = json!({
        "type": "object",
        "properties": {
            "id": {"$ref": "#/$defs/RequestId"},
            "jsonrpc": {"const": "2.0", "type": "string"},
            "result": result,
        },
        "required": ["id", "jsonrpc", "result"],
    });
}

fn definition(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

refused! {
    a_request_without_a_result: |defs| request(defs, "TasteRequest", &[]) => [
        "no definition is its result",
        "[[result]]\n    method = \"odd/taste\"\n    type = \"EmptyResult\"",
    ];
    a_result_that_the_answer_does_not_name: |defs| {
        request(defs, "TasteRequest", &[]);
        defs["TasteResult"] = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        answer(defs, "TasteResultResponse", definition("CompleteResult"));
    } => [
        "at /$defs/TasteResultResponse/properties/result: the answer is not a `TasteResult`",
    ];
    an_answer_of_several: |defs| {
        request(defs, "TasteRequest", &[]);
        let results = [definition("CompleteResult"), definition("DiscoverResult")];
        answer(defs, "TasteResultResponse", json!({ "anyOf": results }));
    } => [
        "at /$defs/TasteResultResponse/properties/result: expected a reference to the result",
    ];
    an_inline_answer: |defs| {
        request(defs, "TasteRequest", &[]);
        let result = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        answer(defs, "TasteResultResponse", result);
    } => ["/properties/result: expected a reference to the result"];
    a_result_that_is_not_an_object: |defs| {
        request(defs, "TasteRequest", &[]);
        defs["TasteResult"] = json!({"type": "string"});
    } => ["at /$defs/TasteResult: `params` and results are objects"];
    a_request_without_id: |defs| {
        request(defs, "TasteRequest", &[]);
        without(defs, "TasteRequest", "id");
    } => [
        "at /$defs/TasteRequest: a request by #/$defs/ClientRequest, but without the `id`",
        "such as #/$defs/DiscoverRequest",
    ];
    a_notification_with_id: |defs| {
        request(defs, "TasteNotification", &[]);
        defs["ClientRequest"]["anyOf"].as_array_mut().unwrap().pop();
        add(defs, "ServerNotification", "TasteNotification");
    } => [
        "at /$defs/TasteNotification: a notification by #/$defs/ServerNotification, but with",
    ];
    a_request_and_notification: |defs| {
        request(defs, "TasteRequest", &[]);
        add(defs, "ServerNotification", "TasteRequest");
    } => [
        "at /$defs/TasteRequest: a request by #/$defs/ClientRequest, \
         a notification by #/$defs/ServerNotification",
    ];
    neither_request_nor_notification: |defs| {
        request(defs, "Taste", &[]);
        without(defs, "Taste", "id");
        without(defs, "Taste", "jsonrpc");
        defs["ClientRequest"]["anyOf"].as_array_mut().unwrap().pop();
    } => ["a request or a notification", "[[result]]\n    method = \"odd/taste\""];
    a_message_that_nobody_sends: |defs| {
        request(defs, "TasteRequest", &[]);
        defs["ClientRequest"]["anyOf"].as_array_mut().unwrap().pop();
    } => ["at /$defs/TasteRequest: no union lists who sends this message"];
    a_message_that_differs_in_its_union: |defs| {
        defs["ClientNotification"]["properties"]["params"] = definition("RequestParams");
    } => ["at /$defs/CancelledNotification: differs from the message in #/$defs/ClientNotification"];
    nullable_params: |defs| {
        let params = json!({"anyOf": [definition("RequestParams"), {"type": "null"}]});
        request(defs, "TasteRequest", &[("params", params)]);
        answer(defs, "TasteResultResponse", definition("CompleteResult"));
    } => ["at /$defs/RequestParams: `params` and results are objects, or one of several, and never"];
    a_message_without_a_constant_method: |defs| {
        request(defs, "TasteRequest", &[("method", json!({"type": "string"}))]);
    } => ["not a message: no constant `method`"];
    one_method_twice: |defs| {
        request(defs, "TasteRequest", &[("method", json!({"const": "tools/list"}))]);
    } => ["at /$defs/TasteRequest: `tools/list` is the method of `ListToolsRequest` as well"];
    params_that_are_no_object: |defs| {
        request(defs, "TasteRequest", &[("params", json!({"type": "array"}))]);
        defs["TasteResult"] = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    } => ["at /$defs/TasteRequest/properties/params: `params` and results are objects"];
    a_sender_of_something_else: |defs| add(defs, "ClientRequest", "Tool") => [
        "not a message: no constant `method`",
    ];
    one_error_code_twice: |defs| {
        defs["OddError"] = defs["HeaderMismatchError"].clone();
    } => ["is the code of another error as well"];
    an_error_code_with_a_fraction: |defs| {
        defs["OddError"] = json!({
            "type": "object",
            "properties": {"code": {"const": -1.5, "type": "number"}},
        });
    } => ["at /$defs/OddError: an error code that is not an integer"];
}

#[test]
fn a_request_is_one_by_its_union_whatever_its_name() {
    let messages = generated("messages", |defs| {
        request(defs, "Taste", &[]);
        answer(defs, "TasteResultResponse", definition("CompleteResult"));
    });
    assert!(messages.contains("impl Request for Taste {"), "{messages}");
    let taste = &messages[messages.find("impl Request for Taste {").unwrap()..];
    let result = taste
        .lines()
        .find(|line| line.contains("type Result"))
        .unwrap();
    assert!(result.contains("CompleteResult"), "{result}");
}

#[test]
fn a_request_without_params_is_in_its_union() {
    let unions = generated("unions", |defs| {
        request(defs, "TasteRequest", &[]);
        without(defs, "TasteRequest", "params");
        answer(defs, "TasteResultResponse", definition("CompleteResult"));
    });
    assert!(unions.contains("TasteRequestParams"), "{unions}");
}
