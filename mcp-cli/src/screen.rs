//! Text for a person, wrapped to the width of the terminal.

use std::borrow::Cow;
use std::iter;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

use crate::limits::MIN_COLUMN;
use crate::visible::visible;

/// The look of a part of a line. The terminal chooses the shades, which suit a dark and a light
/// background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    /// Bold: names.
    Strong,
    /// Dim: what is less important.
    Quiet,
    /// Green.
    Good,
    /// Red.
    Bad,
}

impl Look {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Quiet => Style::new().dimmed(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
        }
    }
}

/// A part of a line. It may contain spaces, at which the line is wrapped.
pub(crate) type Part<'a> = (Look, Cow<'a, str>);

/// Creates a part.
pub(crate) fn part<'a>(look: Look, text: impl Into<Cow<'a, str>>) -> Part<'a> {
    (look, text.into())
}

/// Text that is put together as a whole before it is written.
pub(crate) struct Screen {
    /// The number of columns of the terminal. In a pipe, lines are not wrapped.
    width: Option<usize>,
    has_styles: bool,
    text: String,
}

impl Screen {
    /// Creates an empty screen. `width` is the number of columns of the terminal, if there is one.
    pub(crate) fn new(width: Option<usize>, has_styles: bool) -> Self {
        Self {
            width,
            has_styles,
            text: String::new(),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.text(0, Look::Strong, text);
    }

    /// Adds lines of text, each of which is indented and wrapped at words.
    pub(crate) fn text(&mut self, indent: usize, look: Look, text: &str) {
        for line in text.lines() {
            let own = line.len() - line.trim_start_matches(' ').len();
            let indent = if line.trim().is_empty() {
                0
            } else {
                indent + own
            };
            self.line(indent, indent, &[part(look, line.trim())]);
        }
    }

    /// Adds a line of parts, wrapped at words. `hanging` is the indentation of the lines after the
    /// first.
    pub(crate) fn line(&mut self, indent: usize, hanging: usize, parts: &[Part<'_>]) {
        self.spaces(indent);
        self.wrapped(indent, hanging, parts);
        self.text.push('\n');
    }

    /// Adds a line that is not wrapped, such as a command to copy.
    pub(crate) fn unwrapped(&mut self, indent: usize, look: Look, text: &str) {
        self.spaces(indent);
        let text = self.one_line(text);
        self.styled(look, &text);
        self.text.push('\n');
    }

    /// Adds a table. Its columns are two spaces apart, and the last one is wrapped.
    ///
    /// Adds nothing and returns false if the columns do not fit.
    pub(crate) fn table(&mut self, indent: usize, rows: &[Vec<Part<'_>>]) -> bool {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|it| self.one_line(&it.1).width()).max()
        };
        let widths: Vec<_> = (0..columns).filter_map(width).collect();
        let (last, others) = widths.split_last().unwrap_or((&0, &[]));
        let start = indent + others.iter().map(|it| it + 2).sum::<usize>();
        if self
            .width
            .is_some_and(|it| start + MIN_COLUMN.min(*last) > it)
        {
            return false;
        }
        for row in rows {
            self.spaces(indent);
            for (index, (look, text)) in row.iter().enumerate() {
                if index + 1 == columns {
                    self.wrapped(start, start, &[part(*look, &**text)]);
                    continue;
                }
                let text = self.one_line(text);
                self.styled(*look, &text);
                self.spaces(widths[index] - text.width() + 2);
            }
            let end = self.text.trim_end_matches(' ').len();
            self.text.truncate(end);
            self.text.push('\n');
        }
        true
    }

    /// Adds parts at a column, and breaks the line where the next word does not fit. A word that is
    /// longer than a line is not broken, so it can be copied.
    fn wrapped(&mut self, mut column: usize, hanging: usize, parts: &[Part<'_>]) {
        for (spaces, word) in self.words(parts) {
            let width = word.iter().map(|it| it.1.width()).sum::<usize>();
            let end = column + spaces + width;
            if column > hanging && self.width.is_some_and(|it| end > it) {
                self.text.push('\n');
                self.spaces(hanging);
                column = hanging + width;
            } else {
                self.spaces(spaces);
                column = end;
            }
            for (look, text) in word {
                self.styled(look, &text);
            }
        }
    }

    /// Splits parts into words, each with the number of spaces before it. A word consists of several
    /// parts if there is no space between them.
    fn words(&self, parts: &[Part<'_>]) -> Vec<(usize, Vec<(Look, String)>)> {
        let mut words = vec![(0, Vec::new())];
        for (look, text) in parts {
            let text = self.one_line(text);
            for (index, word) in text.split(' ').enumerate() {
                match words.last_mut() {
                    Some((spaces, empty)) if index > 0 && empty.is_empty() => *spaces += 1,
                    _ if index > 0 => words.push((1, Vec::new())),
                    _ => {}
                }
                if let Some((_, parts)) = words.last_mut().filter(|_| !word.is_empty()) {
                    parts.push((*look, word.to_owned()));
                }
            }
        }
        words.retain(|it| !it.1.is_empty());
        words
    }

    /// The text with its control characters escaped on a terminal, and with spaces instead of line
    /// feeds and tabs.
    fn one_line(&self, text: &str) -> String {
        visible(text, self.width.is_some()).replace(['\n', '\t'], " ")
    }

    fn styled(&mut self, look: Look, text: &str) {
        let style = if self.has_styles {
            look.style()
        } else {
            Style::new()
        };
        self.text += &format!("{style}{text}{style:#}");
    }

    fn spaces(&mut self, count: usize) {
        self.text.extend(iter::repeat_n(' ', count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a screen of this width.
    fn lines(width: usize, fill: impl FnOnce(&mut Screen)) -> Vec<String> {
        let mut screen = Screen::new(Some(width), false);
        fill(&mut screen);
        screen.as_str().lines().map(str::to_owned).collect()
    }

    #[test]
    fn words_are_wrapped_and_keep_their_spaces() {
        let text = "one two  three four\n\n  https://example.com/a/long/path ok";
        let shown = lines(20, |it| it.text(2, Look::Plain, text));
        assert_eq!(
            shown,
            [
                "  one two  three",
                "  four",
                "",
                "    https://example.com/a/long/path",
                "    ok"
            ]
        );
    }

    #[test]
    fn parts_without_a_space_stay_together() {
        let parts = [
            part(Look::Strong, "a name of"),
            part(Look::Quiet, ": some"),
            part(Look::Plain, "body"),
        ];
        assert_eq!(
            lines(20, |it| it.line(0, 4, &[&parts[..], &parts[1..]].concat())),
            ["a name of: somebody:", "    somebody"]
        );
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let shown = lines(20, |it| {
            it.line(0, 0, &[part(Look::Plain, "天気予報 天気予報 天気")]);
        });
        assert_eq!(shown, ["天気予報 天気予報", "天気"]);
    }

    #[test]
    fn columns_are_aligned_and_the_last_one_is_wrapped() {
        let row = |cells: [&'static str; 3]| cells.map(|it| part(Look::Plain, it)).to_vec();
        let rows = [
            row(["a", "天", "one two three four five"]),
            row(["bcd", "", ""]),
        ];
        assert_eq!(
            lines(26, |it| assert!(it.table(1, &rows))),
            [" a    天  one two three", "          four five", " bcd"]
        );
        let wide = [row(["more than twenty columns", "b", "one more word"])];
        assert!(lines(26, |it| assert!(!it.table(0, &wide))).is_empty());
    }

    #[test]
    fn looks_and_control_characters_are_for_terminals() {
        let shown = |width| {
            let mut screen = Screen::new(width, width.is_some());
            screen.line(0, 0, &[part(Look::Bad, "a\u{1b}[1m\nb")]);
            screen.text
        };
        assert_eq!(
            shown(Some(80)),
            "\u{1b}[31ma\\u{1b}[1m\u{1b}[0m \u{1b}[31mb\u{1b}[0m\n"
        );
        assert_eq!(shown(None), "a\u{1b}[1m b\n");
    }
}
