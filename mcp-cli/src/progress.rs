//! The line that shows how far a call is, and that is gone when the result is there.

use std::convert::Infallible;
use std::io::Write as _;
use std::mem;
use std::sync::Mutex;
use std::time::Duration;

use console::{Term, truncate_str};
use mcp_runtime::types::ProgressNotificationParams;
use tokio::time::{Instant, sleep};

use crate::limits::{SPINNER_DELAY, SPINNER_STEP, USUAL_COLUMNS};
use crate::output::{note, stderr_width};
use crate::questions::lock;
use crate::visible::visible;

/// The line of the current call, if it has one.
#[derive(Default)]
pub(crate) struct Progress(Mutex<Option<Line>>);

/// Removes the line when it is dropped, for example because the user cancels the call.
pub(crate) struct Guard<'a>(&'a Progress);

struct Line {
    begun: Instant,
    last: Option<ProgressNotificationParams>,
    /// Whether a question is open, which hides the line.
    is_paused: bool,
    is_visible: bool,
}

impl Progress {
    /// Begins to show the progress of a call on standard error.
    pub(crate) fn begin(&self) -> Guard<'_> {
        *lock(&self.0) = Some(Line {
            begun: Instant::now(),
            last: None,
            is_paused: false,
            is_visible: false,
        });
        Guard(self)
    }

    pub(crate) fn report(&self, report: ProgressNotificationParams) {
        if let Some(line) = &mut *lock(&self.0) {
            line.last = Some(report);
            // Later reports are drawn at the next step, because there may be thousands.
            if !line.is_visible {
                line.draw();
            }
        }
    }

    /// Draws the line while a request is open, and never ends.
    pub(crate) async fn draw(&self) -> Infallible {
        loop {
            lock(&self.0).as_mut().map(Line::draw);
            sleep(SPINNER_STEP).await;
        }
    }

    /// Removes the line during a question.
    pub(crate) fn pause(&self, is_paused: bool) {
        if let Some(line) = &mut *lock(&self.0) {
            line.is_paused = is_paused;
            line.clear();
        }
    }

    /// Writes a line of a log above the line.
    pub(crate) fn log(&self, text: &str) {
        let mut line = lock(&self.0);
        line.as_mut().map(Line::clear);
        note(text);
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(mut line) = lock(&self.0.0).take() {
            line.clear();
        }
    }
}

impl Line {
    fn clear(&mut self) {
        if mem::take(&mut self.is_visible) {
            // There is no place left to report an error.
            let _ = Term::stderr().clear_line();
        }
    }

    /// Draws the line if there is a report, or once the call has taken a while. The cursor stays
    /// behind the text, so that a `^C` of the terminal is cleared with it.
    fn draw(&mut self) {
        let time = self.begun.elapsed();
        if self.is_paused || self.last.is_none() && time < SPINNER_DELAY {
            return;
        }
        let width = stderr_width().unwrap_or(USUAL_COLUMNS);
        let text = line(self.last.as_ref(), time, width);
        let mut term = Term::buffered_stderr();
        let drawn = term.clear_line().and_then(|()| write!(term, "{text}"));
        let _ = drawn.and_then(|()| term.flush());
        self.is_visible = true;
    }
}

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The line: a bar or a spinner, the amount, the time, and as much of the message as there is room
/// for. It leaves room for `^C`.
fn line(report: Option<&ProgressNotificationParams>, time: Duration, width: usize) -> String {
    let mut parts = Vec::new();
    match report.and_then(fraction) {
        Some(fraction) => {
            let cells = (width / 4).min(20);
            let full = (fraction * cells as f64) as usize;
            parts.push(format!("{}{}", "█".repeat(full), "░".repeat(cells - full)));
        }
        None => {
            let step = time.as_millis() / SPINNER_STEP.as_millis();
            parts.push(SPINNER[(step % SPINNER.len() as u128) as usize].to_string());
        }
    }
    parts.extend(report.map(amount));
    parts.push(match time.as_secs() {
        seconds @ ..60 => format!("{seconds}s"),
        seconds => format!("{}m{:02}s", seconds / 60, seconds % 60),
    });
    let message = report
        .and_then(|it| it.message.as_deref())
        .unwrap_or_default();
    parts.push(visible(message, true).replace(['\n', '\t'], " "));
    let line = parts.join(" ");
    truncate_str(line.trim_end(), width.saturating_sub(3), "…").into_owned()
}

/// A report as a line of a log.
pub(crate) fn log_line(report: &ProgressNotificationParams) -> String {
    let message = report.message.as_deref().unwrap_or_default();
    format!("progress: {} {message}", amount(report))
}

/// The part that is done, from 0 to 1, if the whole is known.
fn fraction(report: &ProgressNotificationParams) -> Option<f64> {
    let total = report.total.filter(|it| *it > 0.0)?;
    Some((report.progress / total).clamp(0.0, 1.0))
}

/// The amount: `3/8`, or `42%` if it is not a small number of steps.
fn amount(report: &ProgressNotificationParams) -> String {
    let is_step = |it: f64| it.fract() == 0.0 && it.abs() < 1e6;
    match (report.total, fraction(report)) {
        (Some(total), Some(_)) if total > 1.0 && is_step(total) && is_step(report.progress) => {
            format!("{}/{total}", report.progress)
        }
        (_, Some(fraction)) => format!("{:.0}%", fraction * 100.0),
        _ if is_step(report.progress) => report.progress.to_string(),
        _ => format!("{:.3e}", report.progress),
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    fn report(json: &str) -> ProgressNotificationParams {
        serde_json::from_str(json).unwrap()
    }

    fn shown(json: &str, width: usize) -> String {
        let report = report(json);
        line(Some(&report), Duration::from_secs(72), width)
    }

    #[test]
    fn the_line_has_a_bar_the_amount_the_time_and_the_message() {
        let steps = r#"{"progressToken": 1, "progress": 3, "total": 8, "message": "reading\nb"}"#;
        assert_eq!(shown(steps, 80), "███████░░░░░░░░░░░░░ 3/8 1m12s reading b");
        let part = r#"{"progressToken": 1, "progress": 0.5, "total": 1}"#;
        assert_eq!(shown(part, 40), "█████░░░░░ 50% 1m12s");
        let unknown = r#"{"progressToken": 1, "progress": 7, "message": "m"}"#;
        assert_eq!(shown(unknown, 80), "⠋ 7 1m12s m");
        assert_eq!(line(None, Duration::from_millis(2_250), 80), "⠹ 2s");
    }

    #[test]
    fn the_line_is_never_wider_than_the_terminal() {
        for message in [
            "a long message of a server",
            "長い長い長いメッセージ",
            "👩‍👩‍👧 family",
        ] {
            for progress in ["1", "-5", "1e300", "0.001", "123456"] {
                for total in ["null", "0", "1", "123456", "1e300"] {
                    let json = format!(
                        r#"{{"progressToken": 1, "progress": {progress}, "total": {total}, "message": "{message}"}}"#
                    );
                    for width in 1..80 {
                        let line = shown(&json, width);
                        assert!(line.width() < width.max(2), "{width}: {line}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_message_can_not_control_a_terminal() {
        let json = r#"{"progressToken": 1, "progress": 1, "message": "a\u001b]0;b\u0007\n"}"#;
        assert_eq!(shown(json, 80), "⠋ 1 1m12s a\\u{1b}]0;b\\u{7}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_of_more_than_a_second_shows_a_spinner() {
        let progress = Progress::default();
        let is_shown = || lock(&progress.0).as_ref().is_some_and(|it| it.is_visible);
        let during = |millis| tokio::time::timeout(Duration::from_millis(millis), progress.draw());
        assert!(during(5_000).await.is_err() && !is_shown());
        let guard = progress.begin();
        assert!(during(900).await.is_err() && !is_shown());
        assert!(during(300).await.is_err() && is_shown());
        progress.pause(true);
        assert!(!is_shown());
        progress.report(report(r#"{"progressToken": 1, "progress": 1}"#));
        assert!(!is_shown(), "a question is open");
        progress.pause(false);
        progress.report(report(r#"{"progressToken": 1, "progress": 2}"#));
        assert!(is_shown());
        drop(guard);
        progress.report(report(r#"{"progressToken": 1, "progress": 3}"#));
        assert!(!is_shown(), "the call has ended");
    }
}
