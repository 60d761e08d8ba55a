//! The chart of the measurements.

use anstyle::RgbColor;
use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::frame::{GREEN, TEXT, framed};

/// The section of the results that has the figures.
const SECTION: &str = "server CPU per request, µs";

/// The servers, from the top.
const SERVERS: [&str; 5] = ["mcp-runtime", "rmcp fast", "rmcp", "turbomcp", "pmcp"];

/// The loads whose figures are shown: the row in the results, and the title.
const LOADS: [(&str, &str); 3] = [
    (
        "stdio add, 2025-06-18, 16 in flight",
        "A call over stdio, 16 in flight",
    ),
    (
        "http add, 2025-06-18, 8 connections",
        "A call over HTTP, 8 connections",
    ),
    (
        "stdio echo 1 MB, 2025-06-18, 1 in flight",
        "An echo of 1 MB over stdio",
    ),
];

const SIZE: (u32, u32) = (760, 470);
const GRAY: RgbColor = RgbColor(0x7c, 0x89, 0x9c);
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
    for ((row, title), area) in LOADS.iter().zip(below.split_evenly((count, 1))) {
        draw_load(results, row, title, &area)?;
    }
    root.present().map_err(failed)?;
    drop((title, below, root));
    framed(&svg, [SIZE.0, SIZE.1])
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw_load(results: &str, row: &str, title: &str, area: &Area<'_>) -> Result<()> {
    let mut values = Vec::new();
    for server in SERVERS {
        let value = figure(results, row, server);
        values.push(value.with_context(|| format!("no figure of {server} in {row}"))?);
    }
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let (unit, scale) = if most < 1000.0 {
        ("µs", 1.0)
    } else {
        ("ms", 1000.0)
    };
    write(area, &format!("{title}, {unit}"), (0, 12), HPos::Left, TEXT)?;
    for ((server, value), number) in SERVERS.iter().zip(values).zip(0..) {
        let top = HEAD + number * STEP;
        let middle = top + STEP / 2;
        let end = BARS.0 + (value / most * BARS.1).round() as i32;
        let color = if number == 0 { GREEN } else { GRAY };
        let bar = [(BARS.0, top + 3), (end, top + STEP - 3)];
        let bar = Rectangle::new(bar, paint(color).filled());
        area.draw(&bar).map_err(failed)?;
        write(area, server, (BARS.0 - 10, middle), HPos::Right, TEXT)?;
        let value = value / scale;
        let digits = if value < 100.0 { 1 } else { 0 };
        write(
            area,
            &format!("{value:.digits$}"),
            (end + 8, middle),
            HPos::Left,
            TEXT,
        )?;
    }
    Ok(())
}

/// Writes a string whose left or right end is at a place.
fn write(area: &Area<'_>, text: &str, at: (i32, i32), side: HPos, color: RgbColor) -> Result<()> {
    let style = ("sans-serif", 15).into_font().color(&paint(color));
    let style = style.pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, at, style)).map_err(failed)
}

fn paint(RgbColor(red, green, blue): RgbColor) -> RGBColor {
    RGBColor(red, green, blue)
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("the chart can't be drawn: {error}")
}

/// Finds the microseconds of a server under a load.
fn figure(results: &str, load: &str, server: &str) -> Option<f64> {
    let sections = results.split("\n## ");
    let mut sections = sections.filter_map(|section| section.split_once('\n'));
    sections.find_map(|(title, table)| {
        let lines = table.lines().filter(|line| line.starts_with('|'));
        let mut rows = lines.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
        title.contains(SECTION).then_some(())?;
        let column = rows.next()?.iter().position(|it| *it == server)?;
        let row = rows.find(|row| row.get(1) == Some(&load))?;
        number(row.get(column)?)
    })
}

/// Reads a figure such as `3.27 (1.40)` or `10.3 k (2.54)`.
fn number(cell: &str) -> Option<f64> {
    let mut words = cell.split(' ');
    let number: f64 = words.next()?.parse().ok()?;
    let is_thousands = words.next() == Some("k");
    Some(if is_thousands {
        1000.0 * number
    } else {
        number
    })
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
