//! The chart of the measurements.

use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::frame::{GREEN, Rgb, TEXT, framed};

/// The section of the results that has the figures.
const SECTION: &str = "server CPU per request, µs";

/// The servers, from the top.
const SERVERS: [&str; 5] = ["mcp-runtime", "rmcp fast", "rmcp", "turbomcp", "pmcp"];

/// A load whose figures are shown.
struct Load {
    /// The load in the results.
    row: &'static str,
    title: &'static str,
    unit: &'static str,
    /// Microseconds of a unit.
    scale: f64,
}

const LOADS: [Load; 3] = [
    Load {
        row: "stdio add, 2025-06-18, 16 in flight",
        title: "A call over stdio, 16 in flight",
        unit: "µs",
        scale: 1.0,
    },
    Load {
        row: "http add, 2025-06-18, 8 connections",
        title: "A call over HTTP, 8 connections",
        unit: "µs",
        scale: 1.0,
    },
    Load {
        row: "stdio echo 1 MB, 2025-06-18, 1 in flight",
        title: "An echo of 1 MB over stdio",
        unit: "ms",
        scale: 1000.0,
    },
];

const SIZE: (u32, u32) = (760, 470);
const GRAY: Rgb = [0x7c, 0x89, 0x9c];
/// Pixels from the left where the bars begin, and the length of the longest bar.
const BARS: (i32, f64) = (130, 520.0);
/// Pixels from the top of one bar to the next, and from the top of a load to its first bar.
const STEP: i32 = 20;
const HEAD: i32 = 30;

/// Draws the chart of `benches/RESULTS.md`.
pub(super) fn draw(results: &str) -> Result<String> {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    let (title, below) = root.margin(16, 4, 16, 16).split_vertically(34);
    write(
        &title,
        "CPU time of the server: shorter is better",
        (0, 8),
        HPos::Left,
        TEXT,
    )?;
    let count = LOADS.len();
    for (load, area) in LOADS.iter().zip(below.split_evenly((count, 1))) {
        load.draw(results, &area)?;
    }
    root.present().map_err(failed)?;
    drop((title, below, root));
    framed(&svg, [SIZE.0, SIZE.1])
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Load {
    fn draw(&self, results: &str, area: &Area<'_>) -> Result<()> {
        let title = format!("{}, {}", self.title, self.unit);
        write(area, &title, (0, 12), HPos::Left, TEXT)?;
        let mut values = Vec::new();
        for server in SERVERS {
            let value = figure(results, self.row, server);
            let value = value.with_context(|| format!("no figure of {server} in {}", self.row))?;
            values.push(value / self.scale);
        }
        let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        for ((server, value), number) in SERVERS.iter().zip(values).zip(0..) {
            let top = HEAD + number * STEP;
            let middle = top + STEP / 2;
            let end = BARS.0 + (value / most * BARS.1).round() as i32;
            let color = if number == 0 { GREEN } else { GRAY };
            let bar = [(BARS.0, top + 3), (end, top + STEP - 3)];
            let bar = Rectangle::new(bar, paint(color).filled());
            area.draw(&bar).map_err(failed)?;
            write(area, server, (BARS.0 - 10, middle), HPos::Right, TEXT)?;
            let value = if value < 100.0 {
                format!("{value:.1}")
            } else {
                format!("{value:.0}")
            };
            write(area, &value, (end + 8, middle), HPos::Left, TEXT)?;
        }
        Ok(())
    }
}

/// Writes a string whose left or right end is at a place.
fn write(area: &Area<'_>, text: &str, at: (i32, i32), side: HPos, color: Rgb) -> Result<()> {
    let style = ("sans-serif", 15).into_font().color(&paint(color));
    let style = style.pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, at, style)).map_err(failed)
}

fn paint([red, green, blue]: Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("the chart can't be drawn: {error}")
}

/// Finds the microseconds of a server under a load.
fn figure(results: &str, load: &str, server: &str) -> Option<f64> {
    let sections = results.split("\n## ");
    let mut tables = sections.filter(|section| {
        section
            .lines()
            .next()
            .is_some_and(|it| it.contains(SECTION))
    });
    tables.find_map(|table| {
        let mut rows = table
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(cells);
        let column = rows.next()?.iter().position(|it| *it == server)?;
        let row = rows.find(|row| row.get(1) == Some(&load))?;
        number(row.get(column)?)
    })
}

fn cells(row: &str) -> Vec<&str> {
    row.split('|').map(str::trim).collect()
}

/// Reads a figure such as `3.27 (1.40)` or `10.3 k (2.54)`.
fn number(cell: &str) -> Option<f64> {
    let mut words = cell.split(' ');
    let number: f64 = words.next()?.parse().ok()?;
    let scale = if words.next() == Some("k") {
        1000.0
    } else {
        1.0
    };
    Some(number * scale)
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn figures_are_found_by_section_load_and_server() {
        let results = "# Results\n\n## Over stdio: requests per second\n\n\
                       | | us | them |\n|---|---:|---:|\n| add | 7 | 8 |\n\n\
                       ## Over stdio: server CPU per request, µs (× the limit)\n\n\
                       | | us | them |\n|---|---:|---:|\n| add | 3.27 (1.40) | 10.3 k (2.54) |\n\
                       | list | – | 5 |\n";
        assert_eq!(figure(results, "add", "us"), Some(3.27));
        assert_eq!(figure(results, "add", "them"), Some(10_300.0));
        assert_eq!(figure(results, "list", "us"), None);
        assert_eq!(figure(results, "add", "others"), None);
    }
}
