//! Opens pages in the person's browser, by default for logins.

use std::env::consts::OS;
use std::path::MAIN_SEPARATOR;
use std::process::{Command, Stdio};
use std::{env, io, thread};

use tokio::sync::oneshot;

use crate::metadata::url::ServerUrl;

/// Opens a page in the person's browser. The URL must be `https`, or `http` on the loopback
/// interface.
///
/// The commands in the environment variable `BROWSER` are tried in order. They are separated by `:`
/// (on Windows by `;`), and their arguments by spaces. `%s` is replaced by the URL; without `%s`,
/// the URL is the last argument. If the variable is not set, the command is `xdg-open`, `open` on
/// macOS, or the system's URL handler on Windows. Commands are started without a shell and without
/// input, and their output is discarded. The URL contains secrets, so it never appears in logs or
/// errors.
///
/// Waits until the command ends, which may be the browser itself. Dropping the future does not end
/// the command.
///
/// # Errors
///
/// `InvalidInput` for any other URL; otherwise the error of the last command, which could not be
/// started or failed.
pub async fn open(url: &str) -> io::Result<()> {
    let browser = env::var("BROWSER").ok();
    open_with(browser.as_deref(), url).await
}

/// Returns true if [`open`] can probably show a page to a person.
///
/// The environment variable `BROWSER` names a browser. Without it, a page can be shown on macOS and
/// Windows, and on other systems if there is a display (`DISPLAY` or `WAYLAND_DISPLAY`), but not in
/// an SSH session. This function starts no program.
#[must_use]
pub fn is_available() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    is_available_in(OS, is_set)
}

fn is_available_in(system: &str, is_set: impl Fn(&str) -> bool) -> bool {
    let has_display =
        matches!(system, "macos" | "windows") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    is_set("BROWSER") || has_display && !is_set("SSH_CONNECTION")
}

async fn open_with(browser: Option<&str>, url: &str) -> io::Result<()> {
    if !is_allowed(url) {
        let reason = "a page must be at `https://`, or at `http://` on this machine";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let mut result = Err(io::Error::new(
        io::ErrorKind::NotFound,
        "the variable BROWSER names no program",
    ));
    for command in commands(browser.unwrap_or_default()) {
        result = run(&command, url).await;
        if result.is_ok() {
            break;
        }
    }
    result
}

/// The commands to try, each a program with its arguments.
fn commands(browser: &str) -> Vec<Vec<&str>> {
    let separator = if MAIN_SEPARATOR == '/' { ':' } else { ';' };
    let listed = browser.split(separator);
    let listed = listed.map(|it| it.split_ascii_whitespace().collect::<Vec<_>>());
    let listed: Vec<_> = listed.filter(|command| !command.is_empty()).collect();
    if listed.is_empty() {
        vec![match OS {
            "macos" => vec!["open"],
            "windows" => vec!["rundll32", "url.dll,FileProtocolHandler"],
            _ => vec!["xdg-open"],
        }]
    } else {
        listed
    }
}

async fn run(command: &[&str], url: &str) -> io::Result<()> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut arguments: Vec<_> = arguments.iter().map(|it| it.replace("%s", url)).collect();
    if !command.iter().any(|it| it.contains("%s")) {
        arguments.push(url.to_owned());
    }
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| {
            let reason = format!("`{program}` can't be started: {error}");
            io::Error::new(error.kind(), reason)
        })?;
    let (sender, ended) = oneshot::channel();
    // The browser may run for hours, so it gets its own thread.
    thread::Builder::new()
        .name("browser".to_owned())
        .spawn(move || sender.send(child.wait()))?;
    let status = ended.await.map_err(io::Error::other)??;
    if status.success() {
        return Ok(());
    }
    let reason = format!("`{program}` has not opened the page: {status}");
    Err(io::Error::other(reason))
}

/// Returns true if [`open`] opens this URL: `https`, or `http` on the loopback interface.
#[must_use]
pub fn is_allowed(url: &str) -> bool {
    ServerUrl::parse(url).is_ok_and(|url| url.is_secure())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const URL: &str = "https://as.example.com/authorize?state=s&scope=a%20b";

    #[test]
    fn only_pages_that_others_cannot_change_are_safe() {
        for url in [
            URL,
            "HTTPS://a",
            "http://127.0.0.1:1/a",
            "http://[::1]/",
            "http://localhost:1",
        ] {
            assert!(is_allowed(url), "{url}");
        }
        for url in [
            "http://as.example.com/",
            "http://localhost.example.com/",
            "http://127.0.0.1.example.com/",
            "http://10.0.0.1/",
            "https:",
            "https:///a",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://a b",
            "https://a/\"",
            "--version",
            "",
        ] {
            assert!(!is_allowed(url), "{url}");
        }
    }

    #[test]
    fn a_browser_needs_a_desktop_or_a_named_program() {
        for (system, variables, is_available) in [
            ("linux", &["DISPLAY"][..], true),
            ("linux", &["WAYLAND_DISPLAY"], true),
            ("linux", &[], false),
            ("linux", &["DISPLAY", "SSH_CONNECTION"], false),
            ("linux", &["BROWSER", "SSH_CONNECTION"], true),
            ("macos", &[], true),
            ("windows", &[], true),
            ("macos", &["SSH_CONNECTION"], false),
        ] {
            let found = is_available_in(system, |name| variables.contains(&name));
            assert_eq!(found, is_available, "{system} {variables:?}");
        }
    }

    #[test]
    fn a_list_of_commands_is_split() {
        assert_eq!(commands("").len(), 1);
        assert_eq!(commands(" ").len(), 1);
        let list = if MAIN_SEPARATOR == '/' {
            "a %s -b::c"
        } else {
            "a %s -b;;c"
        };
        assert_eq!(commands(list), [vec!["a", "%s", "-b"], vec!["c"]]);
    }

    /// Creates a program that writes its arguments to a file, one per line, and exits with
    /// `status`.
    #[cfg(unix)]
    fn program(folder: &Path, name: &str, status: u8) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join(name);
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {name}.out\nexit {status}\n");
        let script = script.replace(&format!("{name}.out"), &format!("'{}.out'", path.display()));
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        path.display().to_string()
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_program_is_given_the_url_as_one_argument() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), "a", 0);
        let arguments = || fs::read_to_string(folder.path().join("a.out")).unwrap();
        let url = format!("{URL}&a=$(id)");
        open_with(Some(&program), &url).await.unwrap();
        assert_eq!(arguments(), format!("{url}\n"));
        let command = format!("{program} --to %s -x");
        open_with(Some(&command), &url).await.unwrap();
        assert_eq!(arguments(), format!("--to\n{url}\n-x\n"));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_next_program_is_tried_and_the_last_error_names_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let fails = program(folder.path(), "a", 3);
        let opens = program(folder.path(), "b", 0);
        open_with(Some(&format!("/none:{fails}:{opens}")), URL)
            .await
            .unwrap();
        assert!(folder.path().join("b.out").exists());
        let error = open_with(Some(&fails), URL).await.unwrap_err().to_string();
        assert!(
            error.contains(&fails) && !error.contains("state="),
            "{error}"
        );
        let error = open_with(Some("/none"), URL).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("`/none`"), "{error}");
    }

    #[tokio::test]
    async fn other_urls_open_nothing() {
        let error = open_with(Some("/none"), "file:///etc/passwd")
            .await
            .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
