//! `cargo xtask pictures`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{chart, crates, scenes};
use crate::process;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Fail if a picture would change, instead of writing it.
    #[arg(long)]
    check: bool,
    /// Use the programs that are built already.
    #[arg(long)]
    built: bool,
}

/// Builds the programs that the pictures show, with the features that CI builds.
const BUILD: &str =
    "build --quiet --all-features --bins -p mcp-runtime-cli -p mcp-examples -p converter";

/// Draws all pictures, and writes those that have changed.
///
/// # Errors
///
/// Fails if a picture can't be drawn or written. With `--check`, fails if a picture would change.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String> {
    if !options.built {
        process::run(&mut process::cargo(root, BUILD))?;
    }
    let mut changed = Vec::new();
    for (path, picture) in draw(root)? {
        let file = root.join(&path);
        if fs::read_to_string(&file).is_ok_and(|now| now == picture) {
            continue;
        }
        if !options.check {
            fs::create_dir_all(root.join(FOLDER))?;
            fs::write(&file, &picture).with_context(|| path.clone())?;
        }
        changed.push(path);
    }
    let changed = changed.join(", ");
    ensure!(
        !options.check || changed.is_empty(),
        "out of date: {changed}. Run `cargo xtask pictures`, and look at the result"
    );
    Ok(match &*changed {
        "" => "All pictures are current.\n".to_owned(),
        changed => format!("Written: {changed}\n"),
    })
}

const FOLDER: &str = "docs/images";

/// Returns the files with pictures. Their paths are relative to `root`.
fn draw(root: &Path) -> Result<Vec<(String, String)>> {
    let read = |path: &str| fs::read_to_string(root.join(path)).with_context(|| path.to_owned());
    let mut pictures = Vec::new();
    let [page, program] = ["docs/first-server.md", "examples/converter/src/main.rs"];
    let is_shown = read(page)?.contains(&read(program)?);
    ensure!(is_shown, "{page} should show {program}");
    for scene in &scenes::SCENES {
        let picture = scene.draw(root).with_context(|| scene.name)?;
        pictures.push((format!("{FOLDER}/{}.svg", scene.name), picture));
    }
    let chart = chart::draw(&read("benches/RESULTS.md")?)?;
    pictures.push((format!("{FOLDER}/measurements.svg"), chart));
    let path = "ARCHITECTURE.md";
    let page = crates::insert(&read(path)?, &crates::diagram(root)?)?;
    pictures.push((path.to_owned(), page));
    Ok(pictures)
}
