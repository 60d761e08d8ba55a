//! The line that shows how far a call is, and that is gone when the result is there.

use std::convert::Infallible;
use std::future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use mcp_runtime::types::ProgressNotificationParams;
use tokio::time::sleep;
use unicode_width::UnicodeWidthChar as _;

use crate::limits::{SPINNER_DELAY, SPINNER_STEP, USUAL_COLUMNS};
use crate::output::{note, stderr_width};
use crate::questions::lock;
use crate::visible::visible;

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Way {
    #[default]
    Hidden,
    /// A line on standard error that is rewritten.
    Line,
    /// Each report is a line on standard error.
    Log,
}

#[derive(Default)]
pub(crate) struct Progress(Mutex<State>);

#[derive(Default)]
struct State {
    way: Way,
    begun: Option<Instant>,
    /// The line, while it is visible.
    bar: Option<ProgressBar>,
    /// Whether a question is open, which hides the line.
    is_paused: bool,
    last: Arc<Mutex<Option<ProgressNotificationParams>>>,
}

impl Progress {
    /// Begins to show the progress of a call.
    pub(crate) fn begin(&self, way: Way) {
        *lock(&self.0) = State {
            way,
            begun: Some(Instant::now()),
            ..State::default()
        };
    }

    pub(crate) fn report(&self, report: ProgressNotificationParams) {
        let mut state = lock(&self.0);
        if state.way == Way::Log {
            let text = [amount(&report), report.message.unwrap_or_default()].join(" ");
            return note(&format!("progress: {}", text.trim_end()));
        }
        *lock(&state.last) = Some(report);
        state.show();
    }

    /// Shows the line once the call has taken a while, and never ends.
    pub(crate) async fn wait(&self) -> Infallible {
        let begun = lock(&self.0).begun;
        sleep(SPINNER_DELAY.saturating_sub(begun.map_or(Duration::ZERO, |it| it.elapsed()))).await;
        lock(&self.0).show();
        future::pending().await
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }

    /// Removes the line until [`Self::resume`].
    pub(crate) fn pause(&self) {
        let mut state = lock(&self.0);
        state.is_paused = true;
        state.clear();
    }

    pub(crate) fn resume(&self) {
        lock(&self.0).is_paused = false;
    }

    /// Writes a line of a log above the line.
    pub(crate) fn log(&self, line: &str) {
        match &lock(&self.0).bar {
            Some(bar) => bar.suspend(|| note(line)),
            None => note(line),
        }
    }
}

impl State {
    fn show(&mut self) {
        let Some(begun) = self
            .begun
            .filter(|_| self.way == Way::Line && !self.is_paused)
        else {
            return;
        };
        if let Some(bar) = &self.bar {
            return bar.tick();
        }
        let last = Arc::clone(&self.last);
        let draw = move |_: &ProgressState, text: &mut dyn std::fmt::Write| {
            let width = stderr_width().unwrap_or(USUAL_COLUMNS);
            let _ = text.write_str(&line(lock(&last).as_ref(), begun.elapsed(), width));
        };
        let style = ProgressStyle::with_template("{line}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style.with_key("line", draw));
        bar.enable_steady_tick(SPINNER_STEP);
        self.bar = Some(bar);
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The line: a bar or a spinner, the amount, the time, and as much of the message as there is room
/// for. It is shorter than `width` columns.
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
    fitted(parts.join(" ").trim_end(), width.saturating_sub(1))
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

/// Cuts text to a number of columns.
fn fitted(text: &str, width: usize) -> String {
    let columns = |it: char| it.width().unwrap_or_default();
    if text.chars().map(columns).sum::<usize>() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let is_room = |it: &char| {
        used += columns(*it);
        used <= width
    };
    text.chars().take_while(is_room).chain(['…']).collect()
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
        let is_shown = || lock(&progress.0).bar.is_some();
        let during = |millis| tokio::time::timeout(Duration::from_millis(millis), progress.wait());
        progress.begin(Way::Hidden);
        assert!(during(5_000).await.is_err() && !is_shown());
        progress.begin(Way::Line);
        assert!(during(900).await.is_err() && !is_shown());
        assert!(during(1_100).await.is_err() && is_shown());
        progress.pause();
        assert!(!is_shown());
        progress.report(report(r#"{"progressToken": 1, "progress": 1}"#));
        assert!(!is_shown(), "a question is open");
        progress.resume();
        progress.report(report(r#"{"progressToken": 1, "progress": 2}"#));
        assert!(is_shown());
        progress.clear();
        assert!(!is_shown());
    }
}
