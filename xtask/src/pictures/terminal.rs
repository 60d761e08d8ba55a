//! A terminal that can be drawn.

use std::num::NonZero;

use anstyle::{Color, RgbColor};
use anstyle_svg::{Palette, Term};
use anyhow::Result;
use vt100::Parser;

use super::frame::{BACKGROUND, GREEN, TEXT, framed};

/// Pixels of a character and a line, and around the text, as anstyle-svg draws them.
const CHARACTER: f64 = 8.4;
const LINE: u32 = 18;
const PADDING: u32 = 12;

/// The colors 0 to 7, and the bright ones.
const PALETTE: Palette = Palette([
    BACKGROUND,
    RgbColor(0xe0, 0x6c, 0x75),
    GREEN,
    RgbColor(0xe5, 0xc0, 0x7b),
    RgbColor(0x6c, 0xb2, 0xf0),
    RgbColor(0xc6, 0x8a, 0xe0),
    RgbColor(0x56, 0xc2, 0xc9),
    TEXT,
    RgbColor(0x8a, 0x93, 0xa2),
    RgbColor(0xf0, 0x80, 0x88),
    RgbColor(0xa5, 0xdb, 0x8a),
    RgbColor(0xf0, 0xd0, 0x90),
    RgbColor(0x8c, 0xc6, 0xff),
    RgbColor(0xd8, 0xa5, 0xf0),
    RgbColor(0x70, 0xd6, 0xdc),
    RgbColor(0xff, 0xff, 0xff),
]);

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
        let screen = self.0.screen();
        let lines = screen.contents_formatted_basic();
        let lines = lines.trim_end();
        let svg = Term::new()
            .palette(PALETTE)
            .fg_color(Color::Rgb(TEXT))
            .bg_color(Color::Rgb(BACKGROUND))
            .background(false)
            .render_svg(lines);
        // Browsers ignore the opacity of single characters.
        let svg = svg.replace("opacity: 0.4", "fill-opacity: 0.6");
        let rows = screen.rows(0, Self::COLUMNS);
        let widths = rows.map(|row| row.trim_end().chars().count());
        let width = (widths.max().unwrap_or(0) as f64 * CHARACTER).ceil();
        let height = u32::try_from(lines.lines().count())? * LINE;
        framed(&svg, [width as u32 + 2 * PADDING, height + 2 * PADDING])
    }
}

#[cfg(test)]
mod tests {
    use super::Terminal;

    #[test]
    fn what_was_overwritten_is_not_drawn() {
        let mut terminal = Terminal::new();
        terminal.write(b"waiting\r\x1b[K\x1b[32mdone\x1b[0m <now>\r\n\r\n");
        let svg = terminal.draw().unwrap();
        assert!(svg.contains("class=\"fg-green\">done</tspan>"), "{svg}");
        assert!(svg.contains("&lt;now"), "{svg}");
        assert!(!svg.contains("waiting"), "{svg}");
    }
}
