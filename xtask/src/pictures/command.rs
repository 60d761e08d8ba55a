//! `cargo xtask pictures`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{chart, crates, scenes};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Fail if a picture would change, instead of writing it.
    #[arg(long)]
    check: bool,
    /// Use the programs that are built already.
    #[arg(long)]
    built: bool,
}

/// A file, with its path from the root of the workspace.
struct Picture {
    path: String,
    contents: String,
}

/// Draws all pictures, and writes those that have changed.
///
/// # Errors
///
/// Fails if a picture can't be drawn or written. With `--check`, fails if a picture would change.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String> {
    if !options.built {
        build(root)?;
    }
    let mut changed = Vec::new();
    for picture in draw(root)? {
        let path = root.join(&picture.path);
        if fs::read_to_string(&path).is_ok_and(|now| now == picture.contents) {
            continue;
        }
        if !options.check {
            fs::create_dir_all(root.join(FOLDER))?;
            fs::write(&path, &picture.contents).with_context(|| picture.path.clone())?;
        }
        changed.push(picture.path);
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

fn draw(root: &Path) -> Result<Vec<Picture>> {
    let read = |path: &str| fs::read_to_string(root.join(path)).with_context(|| path.to_owned());
    let mut pictures = Vec::new();
    let [page, program] = ["docs/first-server.md", "examples/converter/src/main.rs"];
    let is_shown = read(page)?.contains(&read(program)?);
    ensure!(is_shown, "{page} should show {program}");
    for scene in &scenes::SCENES {
        pictures.push(Picture {
            path: format!("{FOLDER}/{}.svg", scene.name),
            contents: scene.draw(root).with_context(|| scene.name)?,
        });
    }
    pictures.push(Picture {
        path: format!("{FOLDER}/measurements.svg"),
        contents: chart::draw(&read("benches/RESULTS.md")?)?,
    });
    let path = "ARCHITECTURE.md";
    pictures.push(Picture {
        path: path.to_owned(),
        contents: crates::insert(&read(path)?, &crates::diagram(root)?)?,
    });
    Ok(pictures)
}

/// Builds the programs that the pictures show, with the features that CI builds.
fn build(root: &Path) -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--all-features", "--bins"])
        .args(["-p", "mcp-runtime-cli", "-p", "mcp-examples"])
        .args(["-p", "converter"])
        .current_dir(root)
        .status()?;
    ensure!(status.success(), "the programs can't be built: see above");
    Ok(())
}
