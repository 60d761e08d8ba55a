//! What a mistake gets: what happened, whose fault it is, and what to type.

use std::net::TcpListener;

use crate::support::{Server, answering, demo, mcp};

#[test]
fn an_unknown_name_gets_the_nearest() {
    let program = demo();
    let tool = mcp(&["call", "foercast", "--", &program]);
    tool.fails(5, &["no tool `foercast`", "`forecast`", "mcp inspect"]);
    let prompt = mcp(&["prompt", "gret", "name=x", "--", &program]);
    prompt.fails(5, &["no prompt `gret`", "`greet`", "mcp inspect"]);
    mcp(&["inspect", "--tool", "eco", "--", &program]).fails(5, &["`echo`"]);
    mcp(&["inspect", "nothing"]).fails(2, &["no server is named `nothing`", "mcp servers"]);
}

#[test]
fn arguments_that_do_not_fit_are_all_told_and_nothing_is_sent() {
    let run = mcp(&[
        "call",
        "forecast",
        "dais=3",
        "days=x",
        "place.town=y",
        "--",
        &demo(),
    ]);
    run.fails(
        2,
        &[
            "nothing was sent",
            "`dais` is not known; is `days` meant?",
            "`days` must be a whole number, not `x`",
            "`place.town` is not known",
            "forecast(place: {city: string, country?: string}, days?: integer, tags?: string[])",
        ],
    );
    let prompt = mcp(&["prompt", "greet", "tone=x", "nam=y", "--", &demo()]);
    prompt.fails(
        2,
        &[
            "`name` is missing",
            "`nam` is not known",
            "greet(name, tone?)",
        ],
    );
}

#[test]
fn a_program_that_is_missing_was_sought_somewhere() {
    mcp(&["inspect", "--", "no-such-program"]).fails(4, &["`no-such-program`", "PATH"]);
    mcp(&["inspect", "./no-such-program"]).fails(4, &["`./no-such-program`"]);
    mcp(&["inspect", "--", "npx -y x"]).fails(4, &["`npx -y x`", "quotes", "`--`"]);
    mcp(&["inspect", "sh"]).fails(2, &["`sh` is a program", "`--`"]);
}

#[test]
fn a_program_that_is_no_server_is_quoted() {
    let ends = mcp(&[
        "inspect",
        "--",
        "sh",
        "-c",
        "echo no such package >&2; exit 3",
    ]);
    ends.fails(4, &["`sh` has ended (exit status: 3)", "no such package"]);
    let prints = mcp(&[
        "inspect",
        "--timeout",
        "1s",
        "--",
        "sh",
        "-c",
        "echo hello; cat >/dev/null",
    ]);
    prints.fails(
        4,
        &["`sh`", "`initialize`", "1.0 s", "no MCP message: hello"],
    );
    let waits = mcp(&[
        "inspect",
        "--timeout",
        "1s",
        "--",
        "sh",
        "-c",
        "echo Password: >&2; cat >/dev/null",
    ]);
    waits.fails(4, &["`sh`", "`initialize`", "Password:"]);
}

#[test]
fn a_call_that_takes_too_long_names_its_limit() {
    let slow = mcp(&[
        "call",
        "work",
        "milliseconds=60000",
        "--timeout",
        "1s",
        "--",
        &demo(),
    ]);
    slow.fails(4, &["`tools/call`", "1.0 s"]);
}

#[test]
fn a_server_that_can_not_be_reached_has_its_address_and_cause() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = unused.local_addr().unwrap();
    drop(unused);
    let refused = mcp(&["inspect", &format!("http://{address}/mcp")]);
    refused.fails(4, &[&address.to_string(), "refused"]);
    mcp(&["inspect", "http://nowhere.invalid/mcp"]).fails(4, &["nowhere.invalid"]);
    let plain = Server::start();
    let tls = mcp(&["inspect", &plain.url.replace("http:", "https:")]);
    tls.fails(4, &["127.0.0.1"]);
}

#[test]
fn what_is_no_mcp_server_is_told_by_its_answer() {
    let html = "<html><body>It works! ".to_owned() + &"x".repeat(300);
    let html: &'static str = html.leak();
    let page = answering("200 OK\r\ncontent-type: text/html", html);
    mcp(&["inspect", &page]).fails(4, &["HTTP 200", "text/html", "It works!", "/mcp"]);
    let long = mcp(&["inspect", &page]);
    assert!(!long.stderr.contains(&"x".repeat(80)), "{}", long.stderr);
    let missing = answering("404 Not Found\r\ncontent-type: text/plain", "nothing here");
    let run = mcp(&["inspect", &format!("{missing}/")]);
    run.fails(4, &["HTTP 404", "text/plain", "nothing here", "/mcp"]);
    let run = mcp(&["inspect", &format!("{missing}/api"), "--json"]);
    run.fails(4, &["\"status\":404", "\"code\":\"not_mcp\""]);
    assert!(!run.stderr.contains("/mcp`"), "{}", run.stderr);
    let method = answering("405 Method Not Allowed", "");
    mcp(&["inspect", &method]).fails(4, &["HTTP 405", "/mcp"]);
    let json = answering("200 OK\r\ncontent-type: application/json", "{\"hello\": 1}");
    mcp(&["inspect", &json]).fails(4, &[&json]);
}

#[test]
fn a_server_that_asks_for_a_login_gets_none_without_a_terminal() {
    let url = answering("401 Unauthorized\r\nwww-authenticate: Bearer", "");
    let login = format!("mcp login {url}");
    mcp(&["inspect", &url]).fails(3, &[&login]);
    mcp(&["inspect", &url, "--auth", "none"]).fails(3, &[&login]);
    mcp(&["inspect", &url, "--json"]).fails(3, &["\"code\":\"authorization_required\""]);
    let wrong = mcp(&["inspect", &url, "--header", "Authorization: Bearer x"]);
    wrong.fails(3, &["401"]);
}

#[test]
fn a_question_without_an_answer_names_its_fields() {
    for era in ["stateless", "handshake"] {
        let run = mcp(&["call", "order", "--era", era, "--", &demo()]);
        run.fails(5, &["What may it be?", "--answer size=…"]);
        let wrong = mcp(&[
            "call",
            "order",
            "--era",
            era,
            "--answer",
            "size=huge",
            "--",
            &demo(),
        ]);
        wrong.fails(5, &["`size` must be one of"]);
    }
}

#[test]
fn a_tool_that_fails_has_its_own_words() {
    let run = mcp(&["call", "fail", "--", &demo()]);
    run.fails(5, &["the tool reports an error: it is broken"]);
    assert_eq!(run.stdout, "");
    mcp(&["call", "fail", "--json", "--", &demo()])
        .fails(5, &["\"code\":\"tool_failed\"", "it is broken"]);
}

#[test]
fn options_are_for_their_kind_of_server() {
    mcp(&["inspect", "http://127.0.0.1:9", "--env", "A=1"]).fails(2, &["`--env` is for a program"]);
    mcp(&["inspect", "--header", "a: b", "--", &demo()]).fails(2, &["`--header` is for a URL"]);
    mcp(&["inspect", "--env", "UNSET_HERE", "--", &demo()]).fails(2, &["UNSET_HERE"]);
    mcp(&["inspect", "--root", "no-such-folder", "--", &demo()]).fails(2, &["no-such-folder"]);
    mcp(&["login", "--", &demo()]).fails(2, &["a login needs the `http` URL"]);
    mcp(&["read", "note://{id}", "--", &demo()]).fails(2, &["`id` has no value: id=…"]);
}

#[test]
fn a_revision_that_does_not_exist_gets_those_that_do() {
    mcp(&["inspect", "--revision", "2020-01-01", "--", "x"]).fails(2, &["2026-07-28"]);
    mcp(&["inspect", "--era", "x", "--", "x"]).fails(2, &["`handshake` or `stateless`"]);
}
