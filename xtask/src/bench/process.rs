//! What the system says of a process.

use std::fs;
use std::io::{Error, Result};

/// CPU time of all threads of a process so far, in nanoseconds.
pub(super) fn cpu(process: u32) -> Result<u64> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        // A thread may have ended since.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else {
            continue;
        };
        let on_cpu = text.split(' ').next().unwrap_or_default();
        sum += on_cpu.parse::<u64>().map_err(Error::other)?;
    }
    Ok(sum)
}

/// Memory that a process has for itself, in KiB.
pub(super) fn memory(process: u32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let private = text
        .lines()
        .filter(|line| line.starts_with("Private_"))
        .filter_map(|line| line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
    Ok(private.sum())
}
