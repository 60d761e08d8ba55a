mod properties;

use serde_json::json;

use super::*;

fn shop() -> Names {
    Names::new("shop")
}

fn raw(text: &str) -> RawJson {
    RawJson::from_text(text).unwrap()
}

/// Expects `shown` for each result of a server.
fn assert_results(cases: &[(&str, &str, &str)]) {
    for (method, own, shown) in cases {
        let result = shop().result(method, raw(own));
        assert_eq!(result.get(), *shown, "{method}");
    }
}

#[test]
fn lists_show_names_and_uris_with_the_prefix() {
    assert_results(&[
        (
            "tools/list",
            r#"{"tools":[{"name":"find"},{"title":"x","name":"a_b"}],"nextCursor":"c"}"#,
            r#"{"tools":[{"name":"shop_find"},{"title":"x","name":"shop_a_b"}],"nextCursor":"c"}"#,
        ),
        (
            "prompts/list",
            r#"{"prompts":[{"name":"p","arguments":[{"name":"a"}]}]}"#,
            r#"{"prompts":[{"name":"shop_p","arguments":[{"name":"a"}]}]}"#,
        ),
        (
            "resources/list",
            r#"{"resources":[{"uri":"file:///x","name":"n"},{"uri":"ui:\/\/clock"},{"uri":"UI://c"}]}"#,
            r#"{"resources":[{"uri":"shop+file:///x","name":"n"},{"uri":"ui://shop/clock"},{"uri":"shop+UI://c"}]}"#,
        ),
        (
            "resources/templates/list",
            r#"{"resourceTemplates":[{"uriTemplate":"a://{b}","name":"n"},{"uriTemplate":"ui://{b}"}]}"#,
            r#"{"resourceTemplates":[{"uriTemplate":"shop+a://{b}","name":"n"},{"uriTemplate":"ui://shop/{b}"}]}"#,
        ),
        (
            "tasks/list",
            r#"{"tasks":[{"taskId":"1","status":"working"}]}"#,
            r#"{"tasks":[{"taskId":"shop_1","status":"working"}]}"#,
        ),
    ]);
}

#[test]
fn contents_show_uris_with_the_prefix() {
    assert_results(&[
        (
            "resources/read",
            r#"{"contents":[{"uri":"a://b","text":"file:///x"}],"ttlMs":5}"#,
            r#"{"contents":[{"uri":"shop+a://b","text":"file:///x"}],"ttlMs":5}"#,
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"resource_link","uri":"a://b","name":"n"},{"type":"text","text":"t"}]}"#,
            r#"{"content":[{"type":"resource_link","uri":"shop+a://b","name":"n"},{"type":"text","text":"t"}]}"#,
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"resource","resource":{"uri":"ui://c","text":"t"}}],"isError":true}"#,
            r#"{"content":[{"type":"resource","resource":{"uri":"ui://shop/c","text":"t"}}],"isError":true}"#,
        ),
        (
            "prompts/get",
            r#"{"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b"}}]}"#,
            r#"{"messages":[{"role":"user","content":{"type":"resource_link","uri":"shop+a:b"}}]}"#,
        ),
    ]);
}

#[test]
fn tasks_of_both_kinds_show_ids_with_the_prefix() {
    assert_results(&[
        (
            "tools/call",
            r#"{"task":{"taskId":"1","status":"working"}}"#,
            r#"{"task":{"taskId":"shop_1","status":"working"}}"#,
        ),
        (
            "tools/call",
            r#"{"resultType":"task","taskId":"1","status":"working"}"#,
            r#"{"resultType":"task","taskId":"shop_1","status":"working"}"#,
        ),
        (
            "tasks/cancel",
            r#"{"taskId":"1"}"#,
            r#"{"taskId":"shop_1"}"#,
        ),
        (
            "tasks/get",
            r#"{"taskId":"1","result":{"content":[{"type":"resource_link","uri":"a:b"}],"taskId":"x"}}"#,
            r#"{"taskId":"shop_1","result":{"content":[{"type":"resource_link","uri":"shop+a:b"}],"taskId":"x"}}"#,
        ),
        (
            "tasks/result",
            r#"{"content":[{"type":"resource_link","uri":"a:b"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}"#,
            r#"{"content":[{"type":"resource_link","uri":"shop+a:b"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"shop_1"}}}"#,
        ),
    ]);
}

#[test]
fn the_page_of_a_tool_keeps_its_scheme() {
    let own = r#"{"a":1,"ui":{"visibility":["app"],"resourceUri":"ui://c"},"ui/resourceUri":"ui://c","openai/outputTemplate":"ui://d/e"}"#;
    let shown = r#"{"a":1,"ui":{"visibility":["app"],"resourceUri":"ui://shop/c"},"ui/resourceUri":"ui://shop/c","openai/outputTemplate":"ui://shop/d/e"}"#;
    for (method, around) in [
        ("tools/list", r#"{"tools":[{"_meta":META}]}"#),
        ("resources/list", r#"{"resources":[{"_meta":META}]}"#),
        ("tools/call", r#"{"content":[],"_meta":META}"#),
        (
            "tools/call",
            r#"{"content":[{"type":"text","_meta":META}]}"#,
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"resource","resource":{"_meta":META}}]}"#,
        ),
        ("prompts/get", r#"{"messages":[{"_meta":META}]}"#),
        ("resources/read", r#"{"contents":[{"_meta":META}]}"#),
    ] {
        let result = shop().result(method, raw(&around.replace("META", own)));
        assert_eq!(result.get(), around.replace("META", shown), "{method}");
    }
}

#[test]
fn questions_show_uris_and_tasks_with_the_prefix() {
    let own = r#"{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"resource_link","uri":"a:b"}]}]}],"tools":[{"name":"t"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}"#;
    let shown = r#"{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"resource_link","uri":"shop+a:b"}]}]}],"tools":[{"name":"t"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"shop_1"}}}"#;
    let question = shop().question("sampling/createMessage", raw(own));
    assert_eq!(question.get(), shown);

    let form = r#"{"message":"m","messages":[{"content":{"type":"resource_link","uri":"a:b"}}]}"#;
    let question = shop().question("elicitation/create", raw(form));
    assert_eq!(question.get(), form);

    let around = r#"{"resultType":"input_required","inputRequests":{"k":{"params":PARAMS,"method":"sampling/createMessage"},"taskId":{"method":"roots/list"}},"requestState":"s"}"#;
    for method in ["tools/call", "prompts/get", "resources/read", "tasks/get"] {
        let result = shop().result(method, raw(&around.replace("PARAMS", own)));
        assert_eq!(result.get(), around.replace("PARAMS", shown), "{method}");
    }
}

#[test]
fn answers_name_the_task_as_the_server_does() {
    let meta = |id: &str| {
        raw(&format!(
            r#"{{"action":"accept","_meta":{{"io.modelcontextprotocol/related-task":{{"taskId":"{id}"}}}}}}"#
        ))
    };
    assert_eq!(shop().answer(meta("shop_1")), meta("1"));
    // A task of the client.
    assert_eq!(shop().answer(meta("7")), meta("7"));
}

#[test]
fn notifications_show_uris_and_tasks_with_the_prefix() {
    for (method, own, shown) in [
        (
            "notifications/resources/updated",
            r#"{"uri":"ui://c"}"#,
            r#"{"uri":"ui://shop/c"}"#,
        ),
        (
            "notifications/tasks/status",
            r#"{"taskId":"1","status":"working"}"#,
            r#"{"taskId":"shop_1","status":"working"}"#,
        ),
        (
            "notifications/tasks",
            r#"{"taskId":"1","result":{"content":[{"type":"resource_link","uri":"a:b"}]}}"#,
            r#"{"taskId":"shop_1","result":{"content":[{"type":"resource_link","uri":"shop+a:b"}]}}"#,
        ),
        (
            "notifications/subscriptions/acknowledged",
            r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"],"taskIds":["1"]}}"#,
            r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["shop+a:b"],"taskIds":["shop_1"]}}"#,
        ),
        (
            "notifications/message",
            r#"{"data":{"uri":"a:b"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}"#,
            r#"{"data":{"uri":"a:b"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"shop_1"}}}"#,
        ),
    ] {
        assert_eq!(
            shop().notification(method, raw(own)).get(),
            shown,
            "{method}"
        );
    }
}

#[test]
fn a_request_goes_to_the_server_that_it_names() {
    for (method, params, own) in [
        (
            "tools/call",
            r#"{"name":"shop_a_b","arguments":{"n":1.50}}"#,
            r#"{"name":"a_b","arguments":{"n":1.50}}"#,
        ),
        ("prompts/get", r#"{"name":"shop_p"}"#, r#"{"name":"p"}"#),
        (
            "resources/read",
            r#"{"uri":"shop+a+b://c"}"#,
            r#"{"uri":"a+b://c"}"#,
        ),
        (
            "resources/read",
            r#"{"uri":"ui://shop/c/d"}"#,
            r#"{"uri":"ui://c/d"}"#,
        ),
        (
            "resources/subscribe",
            r#"{"uri":"shop+a:b"}"#,
            r#"{"uri":"a:b"}"#,
        ),
        (
            "resources/unsubscribe",
            r#"{"uri":"shop+a:b"}"#,
            r#"{"uri":"a:b"}"#,
        ),
        ("tasks/get", r#"{"taskId":"shop_1"}"#, r#"{"taskId":"1"}"#),
        (
            "tasks/result",
            r#"{"taskId":"shop_1"}"#,
            r#"{"taskId":"1"}"#,
        ),
        (
            "tasks/cancel",
            r#"{"taskId":"shop_1"}"#,
            r#"{"taskId":"1"}"#,
        ),
        (
            "tasks/update",
            r#"{"taskId":"shop_1","inputResponses":{}}"#,
            r#"{"taskId":"1","inputResponses":{}}"#,
        ),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"shop_p"}}"#,
            r#"{"ref":{"type":"ref/prompt","name":"p"}}"#,
        ),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"shop+a:{b}"}}"#,
            r#"{"ref":{"type":"ref/resource","uri":"a:{b}"}}"#,
        ),
    ] {
        let request = Names::new("shop").request(method, &raw(params)).unwrap();
        assert_eq!(request.get(), own, "{method}");
        for other in ["sho", "shop-2", "s"] {
            let request = Names::new(other).request(method, &raw(params));
            assert_eq!(request, None, "{method} of {other}");
        }
    }
}

#[test]
fn a_request_that_names_no_server_is_for_none() {
    for (method, params) in [
        ("tools/call", r#"{"name":"shop"}"#),
        ("tools/call", r#"{"name":"SHOP_find"}"#),
        ("tools/call", r#"{"name":5}"#),
        ("tools/call", r#"{"arguments":{"name":"shop_find"}}"#),
        ("tools/call", "[]"),
        ("resources/read", r#"{"uri":"file:///shop+x"}"#),
        ("resources/read", r#"{"uri":"ui://shop"}"#),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/other","name":"shop_p"}}"#,
        ),
    ] {
        assert_eq!(shop().request(method, &raw(params)), None, "{params}");
    }
}

#[test]
fn the_case_of_a_scheme_does_not_matter() {
    let names = Names::new("My-Shop");
    for (uri, own) in [
        ("my-shop+file:///X", "file:///X"),
        ("ui://my-shop/C", "ui://C"),
    ] {
        let request = names.request("resources/read", &json!({ "uri": uri }).into());
        assert_eq!(request, Some(json!({ "uri": own }).into()));
    }
}

#[test]
fn a_filter_keeps_what_belongs_to_the_server() {
    let filter = raw(
        r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["shop+a:b","file:///x","ui://shop/c"],"taskIds":["shop_1","2"]}}"#,
    );
    let request = shop().request("subscriptions/listen", &filter).unwrap();
    let own = r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b","ui://c"],"taskIds":["1"]}}"#;
    assert_eq!(request.get(), own);
    let request = Names::new("bank")
        .request("subscriptions/listen", &filter)
        .unwrap();
    assert_eq!(
        request.get(),
        r#"{"notifications":{"toolsListChanged":true}}"#
    );
}

#[test]
fn other_requests_go_to_every_server() {
    for (method, params) in [
        ("tools/list", r#"{"cursor":"c"}"#),
        ("logging/setLevel", r#"{"level":"info","name":"shop_x"}"#),
        ("com.example/tick", r#"{"uri":"shop+a:b"}"#),
    ] {
        assert_eq!(shop().request(method, &raw(params)), Some(raw(params)));
    }
}

#[test]
fn an_error_names_the_uri_that_was_requested() {
    for (code, shown) in [(-32002, "shop+a:b"), (-32602, "shop+a:b"), (-32000, "a:b")] {
        let error = |uri: &str| ErrorObject::new(code, "no").with_data(json!({ "uri": uri }));
        assert_eq!(shop().error(error("a:b")), error(shown));
    }
    let error = ErrorObject::new(-32602, "no").with_data(json!("a:b"));
    assert_eq!(shop().error(error.clone()), error);
}

#[test]
fn everything_else_keeps_its_text() {
    let unknown =
        r#"{ "z": 123456789012345678901234567890, "\u0061": 1.0e400, "tools": [{"name":1}, 2] }"#;
    for method in ["tools/list", "tools/call", "com.example/tick"] {
        assert_eq!(shop().result(method, raw(unknown)).get(), unknown);
        assert_eq!(shop().question(method, raw(unknown)).get(), unknown);
        assert_eq!(shop().notification(method, raw(unknown)).get(), unknown);
    }
    let list = r#"{"z":1e400,"tools":[{"name":"a","inputSchema":{ "uri": "a:b" },"x":123456789012345678901234567890}],"a":[]}"#;
    let shown = list.replace("\"a\",", "\"shop_a\",");
    assert_eq!(shop().result("tools/list", raw(list)).get(), shown);
    let result = r#"{"content":[{"type":"text","uri":"a:b","resource":{"uri":"a:b"}}],"structuredContent":{"content":[{"type":"resource_link","uri":"a:b"}]},"taskId":"1"}"#;
    assert_eq!(shop().result("tools/call", raw(result)).get(), result);
}

#[test]
fn json_of_another_shape_passes_unchanged() {
    for (method, json) in [
        ("tools/list", "[]"),
        ("tools/list", r#"{"tools":{"name":"a"}}"#),
        ("tools/list", r#"{"tools":[{"name":["a"]},"name",null]}"#),
        ("tools/list", r#"{"tools":[{"name":"\ud800","_meta":7}]}"#),
        ("tools/call", r#"{"content":"uri","_meta":{"ui":"ui://c"}}"#),
        (
            "tools/call",
            r#"{"content":[{"type":["resource_link"],"uri":"a:b"}]}"#,
        ),
        (
            "tools/call",
            r#"{"inputRequests":[{"method":"sampling/createMessage"}]}"#,
        ),
        ("prompts/get", r#"{"messages":{"content":[]}}"#),
        ("tasks/get", r#"{"taskId":1,"result":[]}"#),
    ] {
        assert_eq!(shop().result(method, raw(json)).get(), json);
    }
    let filter = r#"{"notifications":{"taskIds":["1",2],"resourceSubscriptions":"a:b"}}"#;
    let method = "notifications/subscriptions/acknowledged";
    assert_eq!(shop().notification(method, raw(filter)).get(), filter);
    assert_eq!(
        shop()
            .request("subscriptions/listen", &raw(filter))
            .unwrap()
            .get(),
        filter
    );
}

#[test]
fn an_empty_prefix_changes_nothing() {
    let names = Names::new("");
    let list = raw(r#"{"tools":[{"name":"a"}],"_meta":{"ui/resourceUri":"ui://c"}}"#);
    assert_eq!(names.result("tools/list", list.clone()), list);
    let params = raw(r#"{"name":"a","uri":"a:b","taskId":"1"}"#);
    assert_eq!(names.request("tools/call", &params), Some(params.clone()));
    let update = "notifications/resources/updated";
    assert_eq!(names.notification(update, params.clone()), params);
    assert_eq!(names.question("sampling/createMessage", list.clone()), list);
    let error = ErrorObject::new(-32602, "no").with_data(params);
    assert_eq!(names.error(error.clone()), error);
}
