//! The child and its descendants, as a job object: Windows ends them all when the job is closed.

use std::io;

use tokio::process::{Child, Command};
use win32job::{ExtendedLimitInfo, Job};

/// The job object; closed when this is dropped.
#[derive(Debug)]
pub(super) struct Group(Option<Job>);

impl Group {
    pub(super) fn prepare(_command: &mut Command) {}

    /// Puts a child that was just started into a job of its own.
    pub(super) fn of(child: &Child) -> Self {
        let job = child.raw_handle().map(|handle| assigned(handle as isize));
        let job = job.transpose().unwrap_or_else(|error| {
            tracing::warn!(%error, "descendants of a child process may outlive it");
            None
        });
        Self(job)
    }

    /// Ends the child: it can't be asked.
    pub(super) fn terminate(&self, child: &mut Child) {
        // A child that is gone is what was asked for.
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
