//! Tests that messages about mistakes say what happened, whose fault it is, and what to type.

use std::net::TcpListener;

#[cfg(unix)]
use crate::pty::Terminal;
#[cfg(unix)]
use crate::support::{Run, scripted};
use crate::support::{Server, User, answering, at_demo, demo, mcp};

#[test]
fn an_unknown_name_gets_the_nearest() {
    let tool = at_demo(&["call", "foercast"]);
    tool.fails(5, &["no tool `foercast`", "`forecast`", "mcp inspect"]);
    let prompt = at_demo(&["prompt", "gret", "name=x"]);
    prompt.fails(5, &["no prompt `gret`", "`greet`", "mcp inspect"]);
    at_demo(&["inspect", "--tool", "eco"]).fails(5, &["`echo`"]);
    mcp(&["inspect", "nothing"]).fails(2, &["no server is named `nothing`", "mcp servers"]);
}

#[test]
fn an_address_without_a_scheme_gets_one() {
    let scheme = "a URL needs its scheme: http://localhost:8080";
    mcp(&["inspect", "localhost:8080"]).fails(2, &[scheme]);
    mcp(&["inspect", "localhost:8080/mcp"]).fails(4, &[scheme]);
}

#[test]
fn all_wrong_arguments_are_reported_and_nothing_is_sent() {
    let run = at_demo(&["call", "forecast", "dais=3", "days=x", "place.town=y"]);
    run.fails(
        2,
        &[
            "nothing was sent",
            "`dais` is not known; is `days` meant?",
            "`days` must be a whole number, not `x`",
            "`place.town` is not known",
            "`forecast` takes:\n  place          object    required    A place on a map.\n  place.city     string    required\n",
        ],
    );
    let prompt = at_demo(&["prompt", "greet", "tone=x", "nam=y"]);
    prompt.fails(
        2,
        &[
            "`name` is missing",
            "`nam` is not known",
            "`greet` takes:\n  name  required\n  tone  optional\n",
        ],
    );
    let completed = at_demo(&["prompt", "greet", "--complete", "nme", "A"]);
    completed.fails(
        2,
        &[
            "`nme` is not known; is `name` meant?",
            "`greet` takes:\n  name  required\n  tone  optional\n",
        ],
    );
}

#[test]
fn a_file_of_arguments_that_can_not_be_read_is_the_only_fault() {
    let user = User::new();
    user.write("list.json", "[1]");
    user.write("half.json", "{\"place\": ");
    std::fs::write(user.path("bytes"), [0xff, 0xfe]).unwrap();
    let folder = user.path("folder");
    std::fs::create_dir(&folder).unwrap();
    for (file, fault) in [
        ("no-such-file.json", "--input no-such-file.json: "),
        ("folder", "--input folder: "),
        ("bytes", "UTF-8"),
        ("list.json", "not a JSON object: invalid type: sequence"),
        ("half.json", "not a JSON object: EOF"),
    ] {
        let run = user.at_demo(&["call", "forecast", "--input", file]);
        run.fails(2, &[file, fault]);
        assert!(!run.stderr.contains("is missing"), "{}", run.stderr);
    }
}

#[test]
fn an_argument_with_dashes_is_corrected() {
    for words in [
        ["call", "forecast", "--key=1"],
        ["--json", "call", "--key=1"],
    ] {
        let run = at_demo(&words);
        run.fails(2, &["'--key'", "arguments have no dashes: write `key=1`"]);
        assert!(!run.stderr.contains("--era"), "{}", run.stderr);
    }
    at_demo(&["prompt", "greet", "-n"]).fails(2, &["write `n=VALUE`"]);
    let similar = at_demo(&["call", "forecast", "--timout=3s"]);
    similar.fails(2, &["--timeout", "write `timout=3s`"]);
}

#[test]
fn a_value_that_can_not_be_read_is_one_fault() {
    let run = at_demo(&["call", "forecast", "place.city=@no-such-file"]);
    run.fails(2, &["`place.city` can't be read from no-such-file"]);
    assert!(!run.stderr.contains("is missing"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_program_that_is_missing_was_sought_somewhere() {
    mcp(&["inspect", "--", "no-such-program"]).fails(4, &["`no-such-program`", "PATH"]);
    mcp(&["inspect", "./no-such-program"]).fails(4, &["`./no-such-program`"]);
    mcp(&["inspect", "--", "npx -y x"]).fails(4, &["`npx -y x`", "quotes", "`--`"]);
    mcp(&["inspect", "sh"]).fails(2, &["`sh` is a program", "`--`"]);
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let user = User::new();
    user.write("file", "");
    for folder in ["no-such-folder", "file"] {
        for program in [&*demo(), "npx", "./npx"] {
            let run = user.run(&["inspect", "--cwd", folder, "--", program]);
            run.fails(2, &[&format!("in the folder {folder}: "), "`--cwd`"]);
            assert!(!run.stderr.contains("no program"), "{}", run.stderr);
        }
        let root = user.at_demo(&["inspect", "--root", folder]);
        root.fails(2, &[&format!("--root {folder}: ")]);
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_is_not_a_server_is_quoted() {
    let sh = |script: &str| mcp(&["inspect", "--timeout", "1s", "--", "sh", "-c", script]);
    let ends = sh("echo no such package >&2; exit 3");
    ends.fails(4, &["`sh` has ended (exit status: 3)", "no such package"]);
    let prints = sh("echo hello; cat >/dev/null");
    let parts = ["`sh`", "`initialize`", "1.0s", "not an MCP message: hello"];
    prints.fails(4, &parts);
    let waits = sh("echo Password: >&2; cat >/dev/null");
    waits.fails(4, &["`sh`", "`initialize`", "Password:"]);
    let echoes = mcp(&["inspect", "--", "cat"]);
    echoes.fails(
        4,
        &["`cat` sends back what it receives, so it is not an MCP server"],
    );
}

#[test]
fn a_call_that_takes_too_long_names_its_limit() {
    let slow = at_demo(&["call", "work", "milliseconds=60000", "--timeout", "1s"]);
    slow.fails(4, &["`tools/call`", "1.0s", "`--timeout`"]);
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
fn a_url_of_another_protocol_is_reported() {
    let server = Server::start();
    let websocket = mcp(&["inspect", &server.url.replace("http:", "ws:")]);
    websocket.fails(
        4,
        &["does not open a WebSocket", "HTTP 4", "`http` or `https`"],
    );
    for scheme in ["https:", "wss:"] {
        let tls = mcp(&["inspect", &server.url.replace("http:", scheme)]);
        tls.fails(4, &["does not speak TLS", "`http://`, `ws://`"]);
    }
}

#[test]
fn a_logout_without_a_login_is_an_error() {
    let user = User::new();
    let url = "http://127.0.0.1:9/mcp";
    user.run(&["logout", url])
        .fails(2, &["not logged in to http://127.0.0.1:9/mcp"]);
    user.run(&["logout", url, "--json"])
        .fails(2, &["\"code\":\"usage\""]);
}

#[test]
fn changes_that_are_not_announced_are_not_waited_for() {
    for era in ["handshake", "stateless"] {
        let at = |uris: &[&str]| at_demo(&[&["listen", "--era", era], uris].concat());
        let run = at(&["pixel://picture", "note://x/y"]);
        run.fails(5, &["`pixel://picture`, `note://x/y`", "mcp inspect"]);
        let partly = at(&["note://1", "pixel://picture", "--for", "100ms"]);
        partly.fails(5, &["changes of `pixel://picture`"]);
    }
}

#[cfg(unix)]
#[test]
fn a_server_without_announcements_is_not_waited_for() {
    let run = at_scripted(&["listen"], "", "");
    run.fails(
        5,
        &[
            "does not announce changes of its lists",
            "mcp inspect TARGET",
        ],
    );
    let run = at_scripted(&["listen", "note://1"], "", "");
    run.fails(5, &["does not announce changes of `note://1`"]);
}

#[cfg(unix)]
#[test]
fn a_server_that_can_not_set_its_log_level_is_noted() {
    let initialized = r#""result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}},
        "serverInfo": {"name": "scripted", "version": "1"}}"#;
    let initialized = initialized.replace('\n', "");
    let tools = r#""result": {"tools": []}"#;
    let program = scripted(&[("initialize", &initialized), ("tools/list", tools)]);
    let words = program.each_ref().map(String::as_str);
    let run = mcp(&[&["-v", "inspect", "--"], &words[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stderr.contains("does not set its log level: "),
        "{run:?}"
    );
    assert!(run.stderr.contains("Method not found"), "{run:?}");
}

#[test]
fn a_server_of_another_protocol_is_recognized_by_its_answer() {
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
    wrong.fails(3, &["401", "`Authorization` is refused", &login]);
    assert!(!wrong.stderr.contains("no MCP server"), "{}", wrong.stderr);
    let inspects = mcp(&["inspect", &url]);
    inspects.fails(3, &["a login or a token", "a person at a terminal"]);
    assert!(
        !inspects.stderr.contains("/authorize"),
        "{}",
        inspects.stderr
    );
    let logs_in = mcp(&["login", &url]);
    logs_in.fails(3, &["`mcp login` needs a terminal"]);
    assert!(!logs_in.stderr.contains(&login), "{}", logs_in.stderr);
    for run in [logs_in, inspects] {
        run.fails(
            3,
            &["or pass a token with `--header 'Authorization: Bearer …'`"],
        );
    }
}

#[cfg(unix)]
#[test]
fn a_server_with_a_token_of_its_own_has_no_login() {
    let url = answering(
        "401 Unauthorized\r\nwww-authenticate: Bearer realm=\"x\"",
        "",
    );
    let user = User::new();
    for arguments in [
        &["inspect", &*url][..],
        &["login", &url],
        &["inspect", &url, "--json"],
    ] {
        let (code, shown) = Terminal::start(&user, arguments).end();
        assert_eq!(code, 3, "{shown}");
        let message = "the server requires a token that it issued itself: pass `--header 'Authorization: Bearer …'`";
        assert!(shown.contains(message), "{shown}");
        assert!(
            shown.contains(&url) && !shown.contains("mcp login"),
            "{shown}"
        );
    }
}

#[test]
fn a_server_that_answers_with_an_error_is_still_one() {
    for (head, code) in [
        ("429 Too Many Requests", 5),
        ("500 Internal Server Error", 4),
    ] {
        let run = mcp(&["inspect", &answering(head, "")]);
        run.fails(code, &[&format!("HTTP {}", &head[..3])]);
        assert!(!run.stderr.contains("no MCP server"), "{}", run.stderr);
    }
}

#[test]
fn a_question_without_an_answer_names_its_fields() {
    for era in ["stateless", "handshake"] {
        let run = at_demo(&["call", "order", "--era", era]);
        run.fails(5, &["What may it be?", "--answer size=…"]);
        let wrong = at_demo(&["call", "order", "--era", era, "--answer", "size=huge"]);
        wrong.fails(5, &["`size` must be one of"]);
        assert!(!wrong.stderr.contains('…'), "{}", wrong.stderr);
    }
    let run = at_demo(&[
        "call",
        "order",
        "--answer",
        "size=small",
        "--answer",
        "cont=1",
    ]);
    run.fails(5, &["`cont` is not known; is `count` meant?"]);
}

#[test]
fn a_tool_that_fails_has_its_own_words() {
    let run = at_demo(&["call", "fail"]);
    assert_eq!(run.code, 5);
    assert_eq!(
        run.stderr,
        "it is broken\nerror: the tool reports this error\n"
    );
    assert_eq!(run.stdout, "");
    let message = "\"message\":\"the tool reports an error: it is broken\"";
    at_demo(&["call", "fail", "--json"]).fails(5, &["\"code\":\"tool_failed\"", message]);
}

#[test]
fn options_are_for_their_kind_of_server() {
    mcp(&["inspect", "http://127.0.0.1:9", "--env", "A=1"]).fails(2, &["`--env` is for a program"]);
    at_demo(&["inspect", "--header", "a: b"]).fails(2, &["`--header` is for a URL"]);
    at_demo(&["inspect", "--env", "UNSET_HERE"]).fails(2, &["UNSET_HERE"]);
    at_demo(&["inspect", "--root", "no-such-folder"]).fails(2, &["no-such-folder"]);
    at_demo(&["login"]).fails(2, &["a login needs the `http` URL"]);
    at_demo(&["read", "note://{id}"]).fails(2, &["`id` has no value: id=…"]);
}

#[test]
fn a_target_that_is_invalid_is_reported() {
    mcp(&["inspect", "ftp://x/y"]).fails(2, &["ftp://x/y", "one of http, https, ws, wss"]);
    mcp(&["inspect", "'a b"]).fails(2, &["quotes", "'a b"]);
    mcp(&["inspect", ""]).fails(2, &["TARGET"]);
}

#[test]
fn a_revision_that_does_not_exist_gets_those_that_do() {
    mcp(&["inspect", "--revision", "2020-01-01", "--", "x"]).fails(2, &["2026-07-28"]);
    mcp(&["inspect", "--era", "x", "--", "x"]).fails(2, &["`handshake` or `stateless`"]);
}

/// Runs a command on a server that has the tool `pay`, and answers calls with `called`.
#[cfg(unix)]
fn at_scripted(command: &[&str], tool: &str, called: &str) -> Run {
    let listed =
        format!(r#""result": {{"tools": [{{"name": "pay", "inputSchema": {{}}{tool}}}]}}"#);
    let program = scripted(&[("tools/list", &listed), ("tools/call", called)]);
    mcp(&[command, &["--"], &program.each_ref().map(String::as_str)].concat())
}

#[cfg(unix)]
#[test]
fn a_page_that_a_tool_needs_is_named_to_be_opened() {
    let error = r#""error": {"code": -32042, "message": "log in first", "data": {"elicitations": [
        {"mode": "url", "elicitationId": "1", "url": "https://example.com/pay", "message": "Pay"}]}}"#;
    let run = at_scripted(&["call", "pay"], "", &error.replace('\n', ""));
    run.fails(
        5,
        &[
            "log in first",
            "open https://example.com/pay, then call again",
        ],
    );
}

#[cfg(unix)]
#[test]
fn a_tool_that_runs_as_a_task_only_is_marked_and_not_called() {
    let task = r#", "execution": {"taskSupport": "required"}"#;
    let called = r#""error": {"code": -32000, "message": "it was sent"}"#;
    let inspected = at_scripted(&["inspect"], task, called).text();
    assert!(inspected.contains("  pay  as a task only\n"), "{inspected}");
    let run = at_scripted(&["call", "pay"], task, called);
    run.fails(5, &["`pay` runs only as a task of revision 2025-11-25"]);
    at_scripted(&["call", "pay"], "", called).fails(5, &["it was sent"]);
}

#[cfg(unix)]
#[test]
fn an_era_that_a_server_does_not_speak_is_to_be_left_out() {
    let run = at_scripted(&["inspect", "--era", "stateless"], "", "");
    run.fails(4, &["the server offers 2025-11-25, ", "leave out `--era`"]);
}

#[cfg(unix)]
#[test]
fn a_list_that_fails_is_noted_beside_the_others() {
    let initialized = r#""result": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "half",
        "version": "1"}, "capabilities": {"tools": {}, "resources": {}}}"#;
    let program = scripted(&[
        ("initialize", &initialized.replace('\n', "")),
        (
            "tools/list",
            r#""result": {"tools": [{"name": "work", "inputSchema": {"type": "object"}}]}"#,
        ),
        (
            "resources/list",
            r#""error": {"code": -32603, "message": "the disk is full"}"#,
        ),
    ]);
    let program = program.each_ref().map(String::as_str);
    let user = User::new();
    let run = user.run(&[&["inspect", "--"][..], &program].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("tools (1)\n  work\n"), "{run:?}");
    assert!(run.stderr.contains("a list is missing"), "{run:?}");
    assert!(run.stderr.contains("the disk is full"), "{run:?}");
    let run = user.run(&[&["bindgen", "-o", "half.rs", "--"][..], &program].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("the disk is full"), "{run:?}");
    let module = std::fs::read_to_string(user.path("half.rs")).unwrap();
    assert!(module.contains("pub fn work("), "{module}");
}
