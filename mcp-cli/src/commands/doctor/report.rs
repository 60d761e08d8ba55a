//! The report of a diagnosis, for a person and for a bug report.

use std::env::consts::{ARCH, OS};
use std::time::Instant;
use std::{mem, slice};

use mcp_config::Target;
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::limits::MIN_SECRET_CHARS;
use crate::output::Output;
use crate::screen::{Look, Screen, part};
use crate::server;

/// The steps of a diagnosis. Each one is shown when it is done.
pub(super) struct Report<'a> {
    output: &'a Output,
    /// Strings that are replaced in all facts and errors.
    secrets: Vec<String>,
    /// The name of the server, or else its URL or program.
    pub(super) target: String,
    steps: Vec<Step>,
    begun: Instant,
    /// The facts of the current step.
    facts: Vec<String>,
}

#[derive(Serialize)]
struct Step {
    #[serde(rename = "step")]
    name: &'static str,
    ok: bool,
    milliseconds: u128,
    facts: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(target: &str, output: &'a Output) -> Self {
        let mut report = Self {
            output,
            secrets: in_url(target),
            target: String::new(),
            steps: Vec::new(),
            begun: Instant::now(),
            facts: Vec::new(),
        };
        report.target = match server::parse(target) {
            Some(Target::Program(program)) => program.command,
            _ => report.redacted(target),
        };
        report
    }

    /// Keeps the values of headers and variables, and users and queries of URLs, out of the report.
    pub(super) fn protect(&mut self, target: &Target) {
        let (urls, values): (&[_], Vec<_>) = match (target, target.remote()) {
            (Target::Program(it), _) => (&it.args, it.env.values().collect()),
            (_, Some(it)) => (slice::from_ref(&it.url), it.headers.values().collect()),
            _ => return,
        };
        // The scheme of a credential may be left out in a message.
        let words = values
            .into_iter()
            .flat_map(|it| it.split_whitespace().chain([&**it]));
        self.secrets.extend(words.map(str::to_owned));
        self.secrets.extend(urls.iter().flat_map(|it| in_url(it)));
        // A secret may contain another one.
        self.secrets.sort_by_key(|it| usize::MAX - it.len());
    }

    fn redacted(&self, text: &str) -> String {
        // Replacing shorter words would also change words that are not secret.
        let is_replaced = |it: &&String| match it.as_bytes() {
            [.., b'@'] | [b'?', ..] => it.len() > 1,
            _ => it.chars().count() >= MIN_SECRET_CHARS,
        };
        let secrets = self.secrets.iter().filter(is_replaced);
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
        let step = Step {
            name,
            ok: result.is_ok(),
            milliseconds: self.begun.elapsed().as_millis(),
            facts: mem::take(&mut self.facts),
        };
        if !self.output.json {
            let mut screen = self.output.screen();
            step.show(&mut screen);
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
            failure.message = self.redacted(&failure.text());
            failure.advice = None;
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
            }
            self.output.document(&document)?;
        }
        result
    }
}

/// The user information (`user:password@`) and the query (`?query`) of a URL, and their parts.
fn in_url(url: &str) -> Vec<String> {
    let (_, rest) = url.split_once("://").unwrap_or_default();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = place.split('/').next().unwrap_or_default();
    let (user, _) = authority.rsplit_once('@').unwrap_or_default();
    let parts = query.split(['&', '=']).chain(user.split(':'));
    let all = [format!("?{query}"), format!("{user}@")].into_iter();
    all.chain(parts.map(str::to_owned)).collect()
}

impl Step {
    /// Shows the step on a line: whether it succeeded, its name, its time and its facts.
    fn show(&self, screen: &mut Screen) {
        let (look, mark) = match self.ok {
            true => (Look::Good, "✓"),
            false => (Look::Bad, "✗"),
        };
        let line = [
            part(look, mark),
            part(Look::Strong, format!(" {:13}", self.name)),
            part(Look::Quiet, format!(" {:>5} ms  ", self.milliseconds)),
            part(Look::Plain, self.facts.join(", ")),
        ];
        screen.line(0, 26, &line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_at_any_width() {
        let facts: [(&str, bool, u128, &[&str]); 6] = [
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
                    "valid until 2027-01-30",
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
                    "token until 2026-11-29T12:00:00Z",
                    "can be refreshed",
                ],
            ),
            ("protocol", false, 10_004, &[]),
        ];
        let screen = |width| {
            let mut screen = Screen::new(Some(width), false);
            for (name, ok, milliseconds, facts) in facts {
                let facts = facts.iter().map(ToString::to_string).collect();
                let step = Step {
                    name,
                    ok,
                    milliseconds,
                    facts,
                };
                step.show(&mut screen);
            }
            format!("{width}:\n{}", screen.as_str())
        };
        insta::assert_snapshot!("steps", [60, 80, 160].map(screen).join("\n"));
    }
}
