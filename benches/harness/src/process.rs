//! Runs the measured processes, and reads what the system reports about them.

use std::fs;
use std::io::{Error, Result};
use std::process::{Child, Command};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The maximum time of a run. A server that takes longer has stopped answering.
const PATIENCE: Duration = Duration::from_secs(180);

/// A server process that is killed on drop or after [`PATIENCE`].
pub(super) struct Process {
    pub(super) child: Child,
    /// Dropping the sender ends the watching thread.
    _watched: Sender<()>,
}

impl Process {
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let child = command.spawn()?;
        let id = child.id();
        let (watched, ended) = channel();
        std::thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                // The thread that waits for an answer sees the connection close.
                let _ = signal(id, "-KILL");
            }
        });
        Ok(Self {
            child,
            _watched: watched,
        })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the process to end, and waits until it has ended.
    pub(super) fn terminate(mut self) -> Result<()> {
        signal(self.id(), "-TERM")?;
        self.wait()
    }

    pub(super) fn wait(&mut self) -> Result<()> {
        self.child.wait().map(drop)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process is no longer needed, even if these calls fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(process: u32, signal: &str) -> Result<()> {
    let status = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    status.map(drop)
}

/// Returns the CPU time of all threads of a process, in nanoseconds.
pub(super) fn cpu(process: u32) -> Result<u64> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        // The thread may have ended since it was listed.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else {
            continue;
        };
        let on_cpu = text.split(' ').next().unwrap_or_default();
        sum += on_cpu.parse::<u64>().map_err(Error::other)?;
    }
    Ok(sum)
}

/// Returns the private memory of a process, in KiB.
pub(super) fn memory(process: u32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let private = text
        .lines()
        .filter(|line| line.starts_with("Private_"))
        .filter_map(|line| line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
    Ok(private.sum())
}
