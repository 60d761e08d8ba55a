//! Tests variables in each source, and where their values come from.

use std::collections::BTreeMap;
use std::fs;

use mcp_config::{ConfigError, Program, Remote, Target, Variable};

use super::support::User;

fn expand(user: &User, name: &str, variables: &[(&str, &str)]) -> Result<Target, ConfigError> {
    let variables: BTreeMap<_, _> = variables.iter().copied().collect();
    let servers = user.servers();
    servers
        .get(name)
        .unwrap()
        .expand(&mut |variable| match variable {
            Variable::Environment(name) => variables.get(name).map(|it| (*it).to_owned()),
            _ => None,
        })
}

fn program(user: &User, name: &str, variables: &[(&str, &str)]) -> Program {
    match expand(user, name, variables).unwrap() {
        Target::Program(program) => program,
        other => panic!("{other:?}"),
    }
}

fn remote(user: &User, name: &str, variables: &[(&str, &str)]) -> Remote {
    match expand(user, name, variables).unwrap() {
        Target::Http(remote) | Target::Sse(remote) => remote,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_project_has_variables_with_defaults() {
    let user = User::of_all_clients();
    let weather = program(
        &user,
        "project:weather",
        &[("WEATHER_KEY", "k"), ("CITY", "Rome")],
    );
    assert_eq!(weather.command, "weather-server");
    assert_eq!(weather.args, ["--city", "Rome"]);
    assert_eq!(weather.env["API_KEY"], "k");
    assert_eq!(weather.cwd, Some(user.project.display().to_string()));
    let search = remote(&user, "search", &[]);
    assert_eq!(search.headers["Authorization"], "Bearer anonymous");
}

#[test]
fn a_variable_that_is_not_set_is_named_with_its_entry_and_file() {
    let user = User::of_all_clients();
    let error = expand(&user, "project:weather", &[]).unwrap_err();
    let file = user.project.join(".mcp.json");
    assert_eq!(
        error.to_string(),
        format!(
            "server `weather` in {} needs the variable `WEATHER_KEY`, which is not set",
            file.display()
        )
    );
}

#[test]
fn cursor_has_variables_of_an_editor() {
    let user = User::of_all_clients();
    let weather = program(&user, "cursor:weather", &[("WEATHER_KEY", "k")]);
    let data = format!("project{}data", std::path::MAIN_SEPARATOR);
    assert_eq!(weather.args, ["weather-mcp", &data]);
    assert_eq!(weather.env["API_KEY"], "k");
    assert_eq!(weather.env["PORT"], "8080");
}

#[test]
fn vscode_asks_for_inputs_once_and_knows_their_defaults() {
    let user = User::of_all_clients();
    let servers = user.servers();
    let mut asked = Vec::new();
    let target = servers
        .get("tracker")
        .unwrap()
        .expand(&mut |variable| match variable {
            Variable::Input(input) => {
                asked.push((**input).clone());
                input.password.then(|| "t".to_owned())
            }
            other => (*other == Variable::Environment("TRACKER_USER")).then(|| "ann".to_owned()),
        });
    let Target::Program(tracker) = target.unwrap() else {
        panic!("it is a program");
    };
    let script = format!("{}/tracker.js", user.project.display());
    assert_eq!(tracker.args, [&script, "--region=eu"]);
    assert_eq!(tracker.env["TOKEN"], "t");
    assert_eq!(tracker.env["USER_NAME"], "ann");
    let [region, token] = &*asked else {
        panic!("{asked:?}");
    };
    assert_eq!(region.options, ["eu", "us"]);
    assert_eq!(region.default.as_deref(), Some("eu"));
    assert_eq!(token.description.as_deref(), Some("Token of the tracker"));
    assert!(token.password && !region.password);
    let error = expand(&user, "vscode:github", &[]).unwrap_err().to_string();
    assert!(error.contains("`input:token`"), "{error}");
}

#[test]
fn an_input_that_two_texts_refer_to_is_asked_for_once() {
    let user = User::new();
    let text = r#"{"inputs": [{"id": "a"}],
        "servers": {"s": {"command": "${input:a}", "args": ["${input:a}", "${input:a}"]}}}"#;
    user.write(".vscode/mcp.json", text);
    let mut times = 0;
    let servers = user.servers();
    let target = servers.get("s").unwrap().expand(&mut |_| {
        times += 1;
        Some("v".to_owned())
    });
    assert!(target.is_ok());
    assert_eq!(times, 1);
}

fn only_program(user: &User, file: &str, entry: &str) -> Result<Program, ConfigError> {
    let servers = if file.starts_with(".vscode") {
        "servers"
    } else {
        "mcpServers"
    };
    user.write(file, format!(r#"{{"{servers}": {{"s": {entry}}}}}"#));
    match expand(user, "s", &[("NAME", "a"), ("FILE", "a.env")])? {
        Target::Program(program) => Ok(program),
        other => panic!("{other:?}"),
    }
}

#[test]
fn vscode_and_cursor_have_files_of_variables() {
    let user = User::new();
    let text = "# c\nexport A=1\nB = 'x y' # c\nC=\"l\\nm\"\nD=p$HOME${A}'$A'\\$\nE=\nA=2\nF=x#y\n";
    user.write("a.env", text);
    let with_mark = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    user.write("dir/b.env", with_mark);
    let expected = [
        ("A", "2"),
        ("B", "own"),
        ("C", "l\nm"),
        ("D", "p$HOME${A}$A$"),
        ("E", ""),
        ("F", "x#y"),
        ("G", "g"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let absolute = user
        .project
        .join("a.env")
        .display()
        .to_string()
        .replace('\\', "/");
    for path in [
        "${workspaceFolder}/a.env",
        "a.env",
        "./dir/b.env",
        "${env:FILE}",
        &absolute,
    ] {
        let entry = format!(
            r#"{{"command": "c", "cwd": "dir", "envFile": "{path}", "env": {{"B": "own", "G": "g"}}}}"#
        );
        for file in [".vscode/mcp.json", ".cursor/mcp.json"] {
            let program = only_program(&user, file, &entry).unwrap();
            assert_eq!(program.env, BTreeMap::from(expected.clone()), "{path}");
            assert_eq!(program.env_file, None);
            fs::remove_file(user.project.join(file)).unwrap();
        }
    }
    assert_eq!(std::env::var("E"), Err(std::env::VarError::NotPresent));
}

#[test]
fn a_file_of_variables_that_can_not_be_read_is_named() {
    let user = User::new();
    user.write("large.env", vec![b'\n'; (1 << 20) + 1]);
    user.write("bad.env", "A=s3cret\nB=s3cret s3cret\n");
    user.write("invalid.env", b"A=\xff");
    for (file, expected) in [
        ("missing.env", "its `envFile` can't be read: "),
        (
            "large.env",
            "its `envFile` can't be read: it is larger than 1 MiB",
        ),
        (
            "bad.env",
            "its `envFile` can't be read: a line after `A` is not `NAME=VALUE`",
        ),
        (
            "invalid.env",
            "its `envFile` can't be read: it is not valid UTF-8",
        ),
    ] {
        let entry = format!(r#"{{"command": "c", "envFile": "{file}"}}"#);
        let error = only_program(&user, ".cursor/mcp.json", &entry).unwrap_err();
        let text = format!("{error}{error:?}");
        assert!(!text.contains("s3cret"), "{text}");
        let file = user.project.join(file);
        for part in [&*file.display().to_string(), ": server `s`: ", expected] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}

#[test]
fn other_clients_have_no_files_of_variables() {
    let user = User::new();
    let entry = r#"{"command": "c", "envFile": "missing.env"}"#;
    for file in [".mcp.json", ".gemini/settings.json"] {
        let program = only_program(&user, file, entry).unwrap();
        assert_eq!((program.env_file, program.env.len()), (None, 0));
        fs::remove_file(user.project.join(file)).unwrap();
    }
}

#[test]
fn gemini_cli_has_variables_without_braces() {
    let user = User::of_all_clients();
    let maps = remote(&user, "maps", &[("MAPS_TOKEN", "t")]);
    assert_eq!(maps.headers["Authorization"], "Bearer t");
    let local = program(&user, "local", &[]);
    assert_eq!(local.args, ["--log=info"]);
    assert_eq!(
        local.cwd,
        Some(user.project.join("data").display().to_string())
    );
}

#[test]
fn codex_takes_variables_by_their_names() {
    let user = User::of_all_clients();
    let context = program(&user, "context", &[("CONTEXT_REGION", "eu")]);
    assert_eq!(context.args, ["-y", "context-server", "${NOT_EXPANDED}"]);
    let env = [("CONTEXT_REGION", "eu"), ("MODE", "fast")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(context.env, BTreeMap::from(env));
    let figures = remote(
        &user,
        "figures",
        &[("FIGURES_TOKEN", "t"), ("FIGURES_TENANT", "x")],
    );
    let headers = [
        ("Authorization", "Bearer t"),
        ("X-Region", "eu"),
        ("X-Tenant", "x"),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(figures.headers, BTreeMap::from(headers));
    let error = expand(&user, "figures", &[]).unwrap_err().to_string();
    assert!(error.contains("`FIGURES_TOKEN`"), "{error}");
}

#[test]
fn codex_names_a_variable_in_a_table_as_well() {
    let user = User::new();
    let text = "[mcp_servers.a]\ncommand = \"a\"\nenv_vars = [\"X\", { name = \"Y\", source = \"local\" }]";
    user.write(".codex/config.toml", text);
    let env = program(&user, "a", &[("X", "x"), ("Y", "y")]).env;
    assert_eq!((&*env["X"], &*env["Y"]), ("x", "y"));
}

#[test]
fn goose_takes_variables_by_their_names_and_expands_headers() {
    let user = User::of_all_clients();
    let fetch = program(&user, "fetch", &[("FETCH_KEY", "k")]);
    let env = [("FETCH_KEY", "k"), ("LITERAL", "$HOME"), ("PORT", "3000")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(fetch.env, BTreeMap::from(env));
    let calendar = remote(&user, "calendar", &[("CALENDAR_TOKEN", "t")]);
    assert_eq!(calendar.headers["Authorization"], "Bearer t");
    let error = expand(&user, "fetch", &[]).unwrap_err().to_string();
    assert!(error.contains("`FETCH_KEY`"), "{error}");
}

#[test]
fn claude_desktop_and_zed_have_none() {
    let user = User::of_all_clients();
    let memory = program(&user, "memory", &[("HOME", "/h")]);
    assert_eq!(memory.env["MEMORY_FILE"], "${HOME}/memory.json");
    let postgres = program(&user, "postgres", &[]);
    assert_eq!(postgres.env["DATABASE_URL"], "postgres://localhost/test");
}

#[test]
fn what_is_not_a_reference_stays() {
    let user = User::new();
    let args = |file: &str, args: &str| {
        let text = format!(r#"{{"mcpServers": {{"a": {{"command": "a", "args": ["{args}"]}}}}}}"#);
        let path = user.write(file, text);
        let args = program(&user, "a", &[("X", "x")]).args.remove(0);
        std::fs::remove_file(path).unwrap();
        args
    };
    assert_eq!(args(".mcp.json", "$X ${X} ${X $ 5$ $"), "$X x ${X $ 5$ $");
    assert_eq!(
        args(".gemini/settings.json", "$5 $ $X-$X/ ${X}"),
        "$5 $ x-x/ x"
    );
    assert_eq!(
        args(".cursor/mcp.json", "${X} $X ${env:X} ${other}"),
        "${X} $X x ${other}"
    );
}

#[test]
fn values_are_not_expanded_again() {
    let user = User::new();
    user.write(".mcp.json", r#"{"mcpServers": {"a": {"command": "${X}"}}}"#);
    assert_eq!(program(&user, "a", &[("X", "${X}")]).command, "${X}");
}

#[tokio::test]
async fn nothing_is_started_while_a_variable_is_not_set() {
    let user = User::new();
    let text = r#"{"mcpServers": {"a": {"command": "/missing", "args": ["${MCP_CONFIG_UNSET}"]}}}"#;
    user.write(".mcp.json", text);
    let servers = user.servers();
    let builder = mcp_runtime::Client::builder("test", "1.0.0");
    let connected = servers.get("a").unwrap().connect(builder).await;
    assert!(matches!(connected, Err(ConfigError::Unset { .. })));
}
