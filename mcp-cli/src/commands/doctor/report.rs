//! The report of a diagnosis, for a person and for a bug report.

use std::env::consts::{ARCH, OS};
use std::mem;
use std::time::Instant;

use mcp_config::Target;
use serde_json::{Value, json};

use crate::arguments::Connection;
use crate::failure::Failure;
use crate::limits::MIN_SECRET_CHARS;
use crate::output::Output;
use crate::screen::{Look, Screen, part};

/// The steps of a diagnosis. Each one is shown when it is done.
pub(super) struct Report<'a> {
    output: &'a Output,
    /// Strings that are replaced in all facts and errors.
    secrets: Vec<String>,
    /// The name of the server, or else its URL or program.
    pub(super) target: Option<String>,
    steps: Vec<Value>,
    begun: Instant,
    /// The facts of the current step.
    facts: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(connection: &Connection, output: &'a Output) -> Self {
        let mut report = Self {
            output,
            secrets: Vec::new(),
            target: None,
            steps: Vec::new(),
            begun: Instant::now(),
            facts: Vec::new(),
        };
        report.protect_url(&connection.target);
        let headers = connection.reach.header.iter();
        headers.for_each(|it| report.protect_value(&it.1));
        for variable in &connection.reach.env {
            report.protect_value(variable.split_once('=').map_or("", |it| it.1));
        }
        report
    }

    /// Keeps the values of headers and variables, and parts of the URL, out of the report.
    pub(super) fn protect(&mut self, target: &Target) {
        let mut place = String::new();
        if let Target::Program(program) = target {
            program.args.iter().for_each(|it| self.protect_url(it));
            program.env.values().for_each(|it| self.protect_value(it));
            place.clone_from(&program.command);
        } else if let Some(remote) = target.remote() {
            self.protect_url(&remote.url);
            remote
                .headers
                .values()
                .for_each(|it| self.protect_value(it));
            place = self.redacted(&remote.url);
        }
        self.target.get_or_insert(place);
    }

    /// Protects a value, and its words: the scheme of a credential may be left out in a message.
    fn protect_value(&mut self, value: &str) {
        let words = value.split_whitespace().chain([value]);
        let words = words.filter(|it| it.chars().count() >= MIN_SECRET_CHARS);
        self.secrets.extend(words.map(str::to_owned));
        // A secret may contain another one.
        self.secrets.sort_by_key(|it| usize::MAX - it.len());
    }

    /// Protects the user information and the query of a URL.
    fn protect_url(&mut self, url: &str) {
        let Some((_, rest)) = url.split_once("://") else {
            return;
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@') {
            self.secrets.push(user.to_owned());
            user.split(':').for_each(|it| self.protect_value(it));
        }
        if let Some((_, query)) = url.split_once('?') {
            self.secrets.push(query.to_owned());
            query
                .split(['&', '='])
                .for_each(|it| self.protect_value(it));
        }
    }

    fn redacted(&self, text: &str) -> String {
        let secrets = self.secrets.iter().filter(|it| !it.is_empty());
        secrets.fold(text.to_owned(), |text, it| text.replace(&**it, "…"))
    }

    /// Adds a fact to the current step.
    pub(super) fn fact(&mut self, fact: impl AsRef<str>) {
        self.facts.push(self.redacted(fact.as_ref()));
    }

    pub(super) fn facts(&mut self, facts: impl IntoIterator<Item = String>) {
        facts.into_iter().for_each(|it| self.fact(it));
    }

    /// Ends the current step, and begins the next one.
    ///
    /// # Errors
    ///
    /// Fails with the error in `result`, or if the step can't be written.
    pub(super) fn step<T>(
        &mut self,
        name: &'static str,
        result: Result<T, Failure>,
    ) -> Result<T, Failure> {
        let milliseconds = self.begun.elapsed().as_millis();
        let step = json!({
            "step": name.to_lowercase(),
            "ok": result.is_ok(),
            "milliseconds": milliseconds,
            "facts": mem::take(&mut self.facts),
        });
        if !self.output.json {
            let mut screen = self.output.screen();
            show(name, &step, &mut screen);
            self.output.write(&screen)?;
        }
        self.steps.push(step);
        self.begun = Instant::now();
        result
    }

    /// Ends the report. With `--json`, writes it as a document.
    ///
    /// # Errors
    ///
    /// Fails with the error in `result`, without secrets.
    pub(super) fn end(self, result: Result<(), Failure>) -> Result<(), Failure> {
        let result = result.map_err(|mut failure| {
            failure.message = self.redacted(&failure.message);
            failure.advice = failure.advice.as_ref().map(|it| self.redacted(it));
            failure.url = failure.url.as_ref().map(|it| self.redacted(it));
            failure
        });
        if self.output.json {
            let mut document = json!({
                "mcp": env!("CARGO_PKG_VERSION"),
                "system": format!("{OS} {ARCH}"),
                "target": self.target,
                "steps": self.steps,
            });
            if let Err(failure) = &result {
                document["error"] = json!(failure);
                document["error"]["message"] = json!(failure.text());
            }
            self.output.document(&document)?;
        }
        result
    }
}

/// Shows a step on a line: whether it succeeded, its name, its time and its facts.
fn show(name: &str, step: &Value, screen: &mut Screen) {
    let (look, mark) = match step["ok"] == true {
        true => (Look::Good, "✓"),
        false => (Look::Bad, "✗"),
    };
    let milliseconds = step["milliseconds"].to_string();
    let facts = step["facts"].as_array().into_iter().flatten();
    let facts: Vec<_> = facts.filter_map(Value::as_str).collect();
    let head = [
        part(look, mark),
        part(Look::Strong, format!(" {name:13}")),
        part(Look::Quiet, format!(" {milliseconds:>5} ms  ")),
        part(Look::Plain, facts.join(", ")),
    ];
    screen.line(0, 26, &head);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_at_any_width() {
        let facts: [(&str, bool, u32, &[&str]); 6] = [
            (
                "configuration",
                true,
                0,
                &["`weather` in /home/ada/.cursor/mcp.json", "http"],
            ),
            (
                "DNS",
                true,
                12,
                &["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
            ),
            (
                "TLS",
                true,
                87,
                &[
                    "TLS 1.3",
                    "issued by CN=R11,O=Let's Encrypt,C=US",
                    "valid until 2027-01-30 (61 days left)",
                ],
            ),
            (
                "HTTP",
                true,
                140,
                &["HTTP/2.0 401 Unauthorized", "server cloudflare"],
            ),
            (
                "login",
                true,
                310,
                &[
                    "authorization server https://login.example.com",
                    "clients register themselves",
                    "token ends at 2026-11-29T12:00:00Z, and is refreshed",
                ],
            ),
            ("protocol", false, 10_004, &[]),
        ];
        let screen = |width| {
            let mut screen = Screen::new(Some(width), false);
            for (name, ok, milliseconds, facts) in facts {
                let step = json!({"ok": ok, "milliseconds": milliseconds, "facts": facts});
                show(name, &step, &mut screen);
            }
            format!("{width}:\n{}", screen.as_str())
        };
        insta::assert_snapshot!("steps", [60, 80, 160].map(screen).join("\n"));
    }
}
