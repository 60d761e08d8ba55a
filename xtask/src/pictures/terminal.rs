//! A terminal that can be drawn.

use std::fmt::Write;
use std::num::NonZero;

use anstyle::{Ansi256Color, AnsiColor, Color, Effects, RgbColor, Style};
use anstyle_svg::{Palette, Term};
use anyhow::Result;
use vt100::{Cell, Parser};

use super::frame::{BACKGROUND, GREEN, Rgb, TEXT, framed};

/// Pixels of a character and a line, and around the text, as anstyle-svg draws them.
const CHARACTER: f64 = 8.4;
const LINE: u32 = 18;
const PADDING: u32 = 12;

/// The colors 0 to 7, and the bright ones.
const PALETTE: [Rgb; 16] = [
    BACKGROUND,
    [0xe0, 0x6c, 0x75],
    GREEN,
    [0xe5, 0xc0, 0x7b],
    [0x6c, 0xb2, 0xf0],
    [0xc6, 0x8a, 0xe0],
    [0x56, 0xc2, 0xc9],
    TEXT,
    [0x8a, 0x93, 0xa2],
    [0xf0, 0x80, 0x88],
    [0xa5, 0xdb, 0x8a],
    [0xf0, 0xd0, 0x90],
    [0x8c, 0xc6, 0xff],
    [0xd8, 0xa5, 0xf0],
    [0x70, 0xd6, 0xdc],
    [0xff, 0xff, 0xff],
];

/// A terminal that is wide and high enough for all that the pictures show.
pub(super) struct Terminal(Parser);

impl Terminal {
    pub(super) const ROWS: u16 = 100;
    pub(super) const COLUMNS: u16 = 110;

    pub(super) fn new() -> Self {
        let size = |it: u16| NonZero::<u16>::MIN.saturating_add(it - 1);
        Self(Parser::new(size(Self::ROWS), size(Self::COLUMNS), 0))
    }

    /// Handles output of a program.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.0.process(bytes);
    }

    /// The characters on the screen.
    pub(super) fn text(&self) -> String {
        self.0.screen().contents()
    }

    /// Draws the screen without the empty rows at its end.
    pub(super) fn draw(&self) -> Result<String> {
        let lines = self.lines();
        let svg = Term::new()
            .palette(Palette(PALETTE.map(color)))
            .fg_color(Color::Rgb(color(TEXT)))
            .bg_color(Color::Rgb(color(BACKGROUND)))
            .background(false)
            .render_svg(&lines.join("\n"));
        let rows = self.0.screen().rows(0, Self::COLUMNS);
        let widths = rows.map(|row| row.trim_end().chars().count());
        let width = (widths.max().unwrap_or(0) as f64 * CHARACTER).ceil();
        let height = u32::try_from(lines.len())? * LINE;
        framed(&svg, [width as u32 + 2 * PADDING, height + 2 * PADDING])
    }

    /// The lines of the screen, with an escape sequence wherever the style changes.
    fn lines(&self) -> Vec<String> {
        let screen = self.0.screen();
        let mut lines = Vec::new();
        for row in 0..Self::ROWS {
            let mut line = String::new();
            let mut style = Style::new();
            for cell in (0..Self::COLUMNS).filter_map(|column| screen.cell(row, column)) {
                let next = style_of(cell);
                if next != style {
                    let _ = write!(line, "{style:#}{next}");
                    style = next;
                }
                line.push_str(if cell.has_contents() {
                    cell.contents()
                } else {
                    " "
                });
            }
            let _ = write!(line, "{style:#}");
            lines.push(line.trim_end().to_owned());
        }
        let used = lines.iter().rposition(|line| !line.is_empty());
        lines.truncate(used.map_or(0, |last| last + 1));
        lines
    }
}

fn style_of(cell: &Cell) -> Style {
    let effects = [
        (cell.bold(), Effects::BOLD),
        (cell.italic(), Effects::ITALIC),
        (cell.underline(), Effects::UNDERLINE),
        (cell.inverse(), Effects::INVERT),
    ];
    let effects = effects.into_iter().filter(|(is_set, _)| *is_set);
    let effects = effects.fold(Effects::new(), |all, (_, effect)| all | effect);
    let color = |it| match it {
        // Browsers do not dim single characters.
        vt100::Color::Default if cell.dim() => Some(AnsiColor::BrightBlack.into()),
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => {
            let index = Ansi256Color(index);
            Some(index.into_ansi().map_or(Color::Ansi256(index), Color::Ansi))
        }
        vt100::Color::Rgb(red, green, blue) => Some(Color::Rgb(RgbColor(red, green, blue))),
    };
    let background = Some(cell.bgcolor()).filter(|it| *it != vt100::Color::Default);
    Style::new()
        .effects(effects)
        .fg_color(color(cell.fgcolor()))
        .bg_color(background.and_then(color))
}

fn color([red, green, blue]: Rgb) -> RgbColor {
    RgbColor(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::Terminal;

    #[test]
    fn what_was_overwritten_is_not_drawn() {
        let mut terminal = Terminal::new();
        terminal.write(b"waiting\r\x1b[K\x1b[32mdone\x1b[0m <now>\r\n\r\n");
        assert_eq!(terminal.lines(), ["\x1b[32mdone\x1b[0m <now>"]);
        let svg = terminal.draw().unwrap();
        assert!(svg.contains("done</tspan>"), "{svg}");
        assert!(svg.contains("&lt;now"), "{svg}");
        assert!(!svg.contains("waiting"), "{svg}");
    }
}
