//! Runs builds and measures them.

use std::fs;
use std::io;
use std::process::Command;
use std::time::Instant;

use crate::project::Project;

/// Cargo options, one for each measured profile.
pub(crate) const PROFILES: [&str; 2] = ["--profile=dev", "--profile=release"];

/// Clock ticks per second in `/proc/self/stat` on Linux.
const TICKS: f64 = 100.0;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Everything, starting without build output.
    Clean,
    /// Only the server, after its dependencies were built.
    Server,
    /// Only the server, after a change to one tool.
    Touched,
    /// `cargo check` after a change to one tool, as an editor runs it.
    Checked,
}

impl Stage {
    pub(crate) const ALL: [Self; 4] = [Self::Clean, Self::Server, Self::Touched, Self::Checked];
}

/// The times of one build, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) project: &'static str,
    pub(crate) stage: Stage,
    pub(crate) passed: f64,
    pub(crate) worked: f64,
}

/// Builds the projects in turns. Clean builds run once, all others `rounds` times.
pub(crate) fn alternate(
    projects: &[&Project],
    profile: &'static str,
    rounds: usize,
) -> io::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for project in projects {
        let _ = fs::remove_dir_all(project.folder.join("target"));
        run(project, &["fetch"])?;
        samples.push(sample(project, Stage::Clean, &["build", profile])?);
        run(project, &["check", profile])?;
    }
    for round in 0..rounds {
        for project in projects {
            run(project, &["clean", profile, "-p", "server"])?;
            samples.push(sample(project, Stage::Server, &["build", profile])?);
        }
        for project in projects {
            project.touch(2 * round)?;
            samples.push(sample(project, Stage::Touched, &["build", profile])?);
        }
        for project in projects {
            run(project, &["check", profile])?;
            project.touch(2 * round + 1)?;
            samples.push(sample(project, Stage::Checked, &["check", profile])?);
        }
    }
    Ok(samples)
}

fn sample(project: &Project, stage: Stage, arguments: &[&str]) -> io::Result<Sample> {
    let began = Instant::now();
    let worked = worked()?;
    run(project, arguments)?;
    Ok(Sample {
        project: project.name,
        stage,
        passed: began.elapsed().as_secs_f64(),
        worked: self::worked()? - worked,
    })
}

fn run(project: &Project, arguments: &[&str]) -> io::Result<()> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(arguments)
        .arg("--quiet")
        .current_dir(&project.folder);
    // The generated servers have fields that are never read.
    cargo
        .env("RUSTFLAGS", "-Awarnings")
        .env_remove("CARGO_TARGET_DIR");
    if cargo.status()?.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "cargo {arguments:?} in {:?}",
            project.folder
        )))
    }
}

/// Returns the CPU time of this process's children that have ended.
fn worked() -> io::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // After the name in parentheses, fields 16 and 17 are the CPU times of the children.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(13).take(2);
    let ticks: f64 = times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    Ok(ticks / TICKS)
}
