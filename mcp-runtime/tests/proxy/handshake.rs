//! Clients and servers with a handshake: messages pass as they are.

use mcp_runtime::Era;
use serde_json::json;

use crate::behind::{answer_to, member, proxy, session};
use crate::support::{Wire, call, initialize, request};

#[tokio::test(start_paused = true)]
async fn a_handshake_passes_as_it_is() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let params = r#"{"x":{"b":1e400,"a":2},"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"z":1},"unknown":[1.0]},"clientInfo":{"name":"c","version":"1","title":"C","y":[]}}"#;
    let opening =
        format!(r#"{{"jsonrpc":"2.0","id":"one","method":"initialize","params":{params}}}"#);
    wire.send_text(&opening).await;
    let mut server = behind.next().await;
    let received = server.next_text().await;
    assert_eq!(member(&received, "params"), params);
    let result = r#""result":{"instructions":"Be kind.","z":1e400,"capabilities":{"tools":{"b":1,"a":2},"extensions":{"com.example/x":{"n":1.0}}},"serverInfo":{"name":"s","version":"2","w":null},"protocolVersion":"2025-11-25"}"#;
    server.send_text(&answer_to(&received, result)).await;
    assert_eq!(wire.next_text().await, answer_to(&opening, result));
    server.expect("notifications/initialized").await;
}

#[tokio::test(start_paused = true)]
async fn the_server_chooses_the_revision() {
    for (requested, chosen) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-11-25", "2025-03-26"),
        ("2025-06-18", "2025-11-25"),
    ] {
        let (proxy, mut behind) = proxy(Era::Handshake);
        let mut wire = Wire::to(&proxy).await;
        wire.send(initialize(requested)).await;
        let mut server = behind.next().await;
        let params = server.shake_hands(chosen).await;
        assert_eq!(params["protocolVersion"], requested);
        let answer = wire.answer().await;
        assert_eq!(answer["result"]["protocolVersion"], chosen, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_and_results_pass_as_they_are() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    for (method, params, result) in [
        (
            "tools/call",
            r#"{"z":[],"arguments":{"n":1.0e400,"b":1,"a":2},"name":"unlisted","_meta":{"z":1,"a":{"k":2}}}"#,
            r#"{"structuredContent":{"n":123456789012345678901234567890},"content":[{"x":1,"type":"new"}],"more":{"b":1,"a":1}}"#,
        ),
        (
            "tools/list",
            r#"{"cursor":"abc","x":1}"#,
            r#"{"tools":[{"z":1,"name":"t","inputSchema":{"type":"object","maximum":1e999}}],"nextCursor":"p 2","_meta":{}}"#,
        ),
        (
            "resources/read",
            r#"{"uri":"file:///unlisted"}"#,
            r#"{"contents":[{"uri":"other:x","text":"y","n":1.0}]}"#,
        ),
        ("com.example/any", r#"{"b":1,"a":[]}"#, r#"{"c":null}"#),
        ("tasks/list", "{}", r#"{"tasks":[{"b":1,"a":2}]}"#),
        ("logging/setLevel", r#"{"level":"odd"}"#, "{}"),
    ] {
        let asked =
            format!(r#"{{"jsonrpc":"2.0","id":"x","method":"{method}","params":{params}}}"#);
        wire.send_text(&asked).await;
        let received = server.next_text().await;
        assert_eq!(member(&received, "method"), format!("\"{method}\""));
        assert_eq!(member(&received, "params"), params);
        let result = format!(r#""result":{result}"#);
        server.send_text(&answer_to(&received, &result)).await;
        assert_eq!(wire.next_text().await, answer_to(&asked, &result));
    }
}

#[tokio::test(start_paused = true)]
async fn errors_pass_as_they_are() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    for error in [
        r#""error":{"code":-32601,"message":"Method not found"}"#,
        r#""error":{"code":-32602,"message":"Unknown tool: x","data":null}"#,
        r#""error":{"code":7,"message":"so \u0041","data":{"z":1e400,"a":[1.0]}}"#,
    ] {
        let asked = call(3, "x", json!({})).to_string();
        wire.send_text(&asked).await;
        let received = server.next_text().await;
        server.send_text(&answer_to(&received, error)).await;
        let answered = wire.next_text().await;
        let expected = answer_to(&asked, &error.replace(r"\u0041", "A"));
        assert_eq!(answered, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn notifications_pass_both_ways_without_a_call() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    for told in [
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"com.example/told","params":{"z":1e400,"a":1}}"#,
    ] {
        wire.send_text(told).await;
        assert_eq!(server.next_text().await, told);
    }
    for told in [
        r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1e400}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"x":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t"}}"#,
        r#"{"jsonrpc":"2.0","method":"com.example/news","params":{"z":1.0,"a":1}}"#,
    ] {
        server.send_text(told).await;
        assert_eq!(wire.next_text().await, told);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_reaches_the_call_that_it_is_about() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    let mut tokens = Vec::new();
    for (id, token) in [(1, json!("mine")), (2, json!(7))] {
        let meta = json!({"progressToken": token, "com.example/k": id});
        wire.send(request(
            id,
            "tools/call",
            json!({"name": "x", "_meta": meta}),
        ))
        .await;
        let (sent_as, params) = server.expect("tools/call").await;
        assert_eq!(params["_meta"]["com.example/k"], id);
        tokens.push((params["_meta"]["progressToken"].clone(), token, sent_as));
    }
    assert_ne!(tokens[0].0, tokens[1].0);
    for (theirs, ours, _) in tokens.iter().rev() {
        let about = json!({"z": 1, "progressToken": theirs, "progress": 0.5});
        server.notify("notifications/progress", about).await;
        let told = wire.answer().await;
        assert_eq!(
            told["params"],
            json!({"z": 1, "progressToken": ours, "progress": 0.5})
        );
    }
    // Neither a call that has ended nor a call without a token gets progress.
    server.answer(&tokens[0].2, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 1);
    for token in [tokens[0].0.clone(), json!("unknown")] {
        let about = json!({"progressToken": token, "progress": 1});
        server.notify("notifications/progress", about).await;
    }
    server.answer(&tokens[1].2, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn cancellation_passes_with_the_id_that_the_server_knows() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    wire.send(call("a", "first", json!({}))).await;
    server.expect("tools/call").await;
    wire.send(call("b", "second", json!({}))).await;
    let (second, _) = server.expect("tools/call").await;
    let cancelled = json!({"requestId": "b", "reason": "enough"});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
    wire.send(cancelled).await;
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], second);
}

#[tokio::test(start_paused = true)]
async fn questions_and_answers_pass_as_they_are() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    for is_called in [false, true] {
        if is_called {
            wire.send(call(1, "x", json!({}))).await;
            server.expect("tools/call").await;
        }
        for (method, params, outcome) in [
            (
                "elicitation/create",
                r#"{"z":1,"message":"m","requestedSchema":{"b":1e400,"a":2}}"#,
                r#""result":{"z":1,"action":"accept","content":{"n":1.0}}"#,
            ),
            (
                "sampling/createMessage",
                r#"{"messages":[],"maxTokens":5,"y":[]}"#,
                r#""error":{"code":-1,"message":"User rejected","data":{"b":1,"a":1e400}}"#,
            ),
            (
                "roots/list",
                r#"{"x":1}"#,
                r#""result":{"roots":[{"uri":"a:b","z":1}]}"#,
            ),
            (
                "com.example/ask",
                r#"{"b":1,"a":2}"#,
                r#""result":{"so":null}"#,
            ),
        ] {
            let asked =
                format!(r#"{{"jsonrpc":"2.0","id":"q","method":"{method}","params":{params}}}"#);
            server.send_text(&asked).await;
            let question = wire.next_text().await;
            assert_eq!(member(&question, "method"), format!("\"{method}\""));
            assert_eq!(member(&question, "params"), params);
            wire.send_text(&answer_to(&question, outcome)).await;
            assert_eq!(server.next_text().await, answer_to(&asked, outcome));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pings_of_the_server_are_answered_and_a_call_has_no_time_limit() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    wire.send(call(1, "slow", json!({}))).await;
    let (id, _) = server.expect("tools/call").await;
    server.send(request("p", "ping", json!({}))).await;
    let answer = server.next().await.unwrap();
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    let in_silence = tokio::time::timeout(std::time::Duration::from_secs(86_400), server.next());
    in_silence.await.unwrap_err();
    server.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["result"], json!({"content": []}));
}
