//! `mcp replay`: a server that answers from a recording.

use std::io::ErrorKind;
use std::path::PathBuf;

use clap::Args;
use mcp_runtime::transport::stdio;

use crate::failure::{Failure, Kind};
use crate::limits::MAX_MESSAGE_BYTES;
use crate::output::note;

#[derive(Args)]
pub(crate) struct Replay {
    /// A file that `--record` of another command has written
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Answers requests on standard input until it is closed.
///
/// # Errors
///
/// Fails if the file can't be read, or is not a recording.
pub(crate) async fn run(command: &Replay) -> Result<(), Failure> {
    let file = &command.file;
    let replay = mcp_runtime::Replay::from_file(file).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => {
            let failure = Failure::usage(format!("{}: {error}", file.display()));
            failure.advise("record one with: mcp call TARGET TOOL --record FILE")
        }
        _ => Failure::new(Kind::Usage, format!("{}: {error}", file.display())),
    })?;
    if replay.is_cut() {
        note(&format!(
            "{}: the last line is incomplete, and is left out",
            file.display()
        ));
    }
    Ok(replay
        .serve(stdio().max_frame_bytes(MAX_MESSAGE_BYTES))
        .await?)
}
