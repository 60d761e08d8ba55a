//! Child processes on Windows.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use tokio::process::{Child, Command};
use win32job::{ExtendedLimitInfo, Job};

/// The job object of a child and its descendants: Windows ends them all when it is closed, at the
/// latest when this is dropped.
#[derive(Debug)]
pub(super) struct Group(Option<Job>);

impl Group {
    /// Puts a child that was just started into a job of its own.
    pub(super) fn new(child: &Child) -> Self {
        let job = child.raw_handle().map(|handle| assigned(handle as isize));
        let job = job.transpose().unwrap_or_else(|error| {
            crate::log::warn!(%error, "descendants of a child process may outlive it");
            None
        });
        Self(job)
    }

    /// Kills the child: Windows has no SIGTERM.
    pub(super) fn terminate(&self, child: &mut Child) {
        // Fails if the child has ended.
        let _ = child.start_kill();
    }

    /// Ends all members.
    pub(super) fn kill(&mut self) {
        self.0 = None;
    }
}

/// A job with the process `handle` in it.
fn assigned(handle: isize) -> io::Result<Job> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
    job.assign_process(handle).map_err(io::Error::other)?;
    Ok(job)
}

/// A command that starts `program`, which is looked up as a shell does: by `PATH` of the child's
/// environment, or else of this process, and by `PATHEXT`. A name that stands for no file is left
/// to the system.
///
/// The system itself finds only `name.exe`. A shell also finds `name.cmd` and whatever else
/// `PATHEXT` lists: programs that npm installs, such as `npx`, are of this kind.
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
