//! Child processes on Windows.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use tokio::process::{Child, Command};
use win32job::{ExtendedLimitInfo, Job};

use super::command::Grace;

/// The job object of a child and its descendants. Windows ends all of them when the job is closed,
/// at the latest when this is dropped.
#[derive(Debug)]
pub(super) struct Group(Option<Job>);

impl Group {
    /// Puts a child that was just started into a new job.
    pub(super) fn new(child: &Child, _: Option<Grace>) -> Self {
        let job = child.raw_handle().map(|handle| assigned(handle as isize));
        let job = job.transpose().unwrap_or_else(|error| {
            crate::log::warn!(%error, "descendants of a child process may outlive it");
            None
        });
        Self(job)
    }

    /// Kills the child, because Windows has no SIGTERM.
    pub(super) fn terminate(&self, child: &mut Child) {
        // Killing fails if the child has already ended.
        let _ = child.start_kill();
    }

    pub(super) fn kill(&mut self) {
        self.0 = None;
    }
}

/// Creates a job that contains the process `handle`.
fn assigned(handle: isize) -> io::Result<Job> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
    job.assign_process(handle).map_err(io::Error::other)?;
    Ok(job)
}

/// Creates a command that starts `program`. The program is looked up as a shell does, with the
/// `PATH` of the child's environment, or else of this process, and with `PATHEXT`. If no file is
/// found, the lookup is left to the system.
///
/// The system itself finds only `name.exe`. A shell also finds `name.cmd` and the other extensions
/// in `PATHEXT`, which programs installed by npm need, such as `npx`.
pub(super) fn command(
    program: &OsStr,
    directory: Option<&Path>,
    environment: &BTreeMap<OsString, OsString>,
) -> Command {
    let own = environment
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    let path = own.map(|(_, path)| path.clone());
    let path = path.or_else(|| std::env::var_os("PATH"));
    let found = which::which_in(program, path, directory.unwrap_or(Path::new(".")));
    Command::new(found.unwrap_or_else(|_| program.into()))
}
