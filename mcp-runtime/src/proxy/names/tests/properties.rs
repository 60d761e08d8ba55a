//! Properties of names with any prefix.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Lists what a client can see, and the requests that name it.
const PLACES: [(&str, &str, &str, &str, &str); 8] = [
    ("tools/list", "/tools/0/name", "tools/call", "", "/name"),
    (
        "tools/list",
        "/tools/0/_meta/ui/resourceUri",
        "resources/read",
        "",
        "/uri",
    ),
    (
        "prompts/list",
        "/prompts/0/name",
        "prompts/get",
        "",
        "/name",
    ),
    (
        "prompts/list",
        "/prompts/0/name",
        "completion/complete",
        "ref/prompt",
        "/ref/name",
    ),
    (
        "resources/list",
        "/resources/0/uri",
        "resources/subscribe",
        "",
        "/uri",
    ),
    (
        "resources/templates/list",
        "/resourceTemplates/0/uriTemplate",
        "completion/complete",
        "ref/resource",
        "/ref/uri",
    ),
    ("tools/call", "/task/taskId", "tasks/get", "", "/taskId"),
    (
        "tasks/list",
        "/tasks/0/taskId",
        "tasks/update",
        "",
        "/taskId",
    ),
];

/// Returns JSON that has `value` at the pointer `place`.
fn at(place: &str, value: serde_json::Value) -> serde_json::Value {
    place
        .rsplit('/')
        .filter(|it| !it.is_empty())
        .fold(value, |value, name| match name {
            "0" => json!([value]),
            _ => json!({ name: value }),
        })
}

fn any_prefix() -> impl Strategy<Value = String> {
    "[A-Za-z][A-Za-z0-9-]{0,6}"
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,20}",
        "[a-z+_/:-]{0,12}",
        "ui://.{0,12}",
        "[a-z]{1,3}[+_:]//.{0,9}"
    ]
}

proptest! {
    #[test]
    fn what_a_client_sees_leads_back_to_its_server(
        prefix in any_prefix(),
        other in any_prefix(),
        text in any_text(),
        place in prop::sample::select(&PLACES[..]),
    ) {
        let (seen_in, from, method, kind, to) = place;
        let names = Names::new(&*prefix);
        let result = names.result(seen_in, at(from, json!(text)).into());
        let result: serde_json::Value = result.parse().unwrap();
        let shown = result.pointer(from).unwrap();
        prop_assert_ne!(shown, &json!(text));
        let mut params = at(to, shown.clone());
        if !kind.is_empty() {
            params["ref"]["type"] = json!(kind);
        }
        let params = RawJson::from(params);
        let request: serde_json::Value = names.request(method, &params).unwrap().parse().unwrap();
        prop_assert_eq!(request.pointer(to), Some(&json!(text)));
        if !other.eq_ignore_ascii_case(&prefix) {
            prop_assert_eq!(Names::new(other).request(method, &params), None);
        }
    }

    #[test]
    fn an_update_names_the_uri_that_was_subscribed_to(prefix in any_prefix(), uri in any_text()) {
        let names = Names::new(&*prefix);
        let shown = names.result("resources/read", json!({ "contents": [{ "uri": uri }] }).into());
        let shown: serde_json::Value = shown.parse().unwrap();
        let shown = RawJson::from(shown["contents"][0].clone());
        let own = names.request("resources/subscribe", &shown).unwrap();
        prop_assert_eq!(names.notification("notifications/resources/updated", own), shown);
    }
}
