//! Runs a program on a pseudo-terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::scenes::Answer;
use super::terminal::Terminal;

/// The maximum time without output.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs a program of `target/debug`, types the answers, and writes its output to `terminal`. Returns the
/// answers to questions that were not asked.
pub(super) fn run<'a>(
    root: &Path,
    command: &str,
    mut answers: &'a [Answer],
    terminal: &mut Terminal,
) -> Result<&'a [Answer]> {
    let mut words = command.split(' ');
    let program = root
        .join("target/debug")
        .join(words.next().unwrap_or_default());
    let (mut keyboard, screen) = open()?;
    let home = root.join("target/pictures");
    std::fs::create_dir_all(&home)?;
    // The variables of the user would change what is shown.
    let mut program = Command::new(program);
    program.args(words).current_dir(root).env_clear();
    program.env("HOME", home).env("TERM", "xterm-256color");
    program.stdin(screen.try_clone()?);
    program.stdout(screen.try_clone()?).stderr(screen);
    let mut child = program.spawn().with_context(|| command.to_owned())?;
    // The output ends once the terminal is closed on this side.
    drop(program);

    let output = output(keyboard.try_clone()?);
    loop {
        match output.recv_timeout(LIMIT) {
            Ok(bytes) => terminal.write(&bytes),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                bail!("{command} waits for something:\n{}", terminal.text());
            }
        }
        if let [(question, keys), later @ ..] = answers
            && terminal.text().contains(question)
        {
            wait_for_reader(&keyboard)?;
            keyboard.write_all(keys.as_bytes())?;
            answers = later;
        }
    }
    child.wait()?;
    Ok(answers)
}

/// Opens a terminal. Returns the side of the user and the side of the program.
fn open() -> Result<(File, File)> {
    let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&user)?;
    unlockpt(&user)?;
    let name = ptsname(&user, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY;
    let program = rustix::fs::open(OsStr::from_bytes(name.as_bytes()), flags, Mode::empty())?;
    let size = Winsize {
        ws_row: Terminal::ROWS,
        ws_col: Terminal::COLUMNS,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&program, size)?;
    Ok((File::from(user), File::from(program)))
}

/// Reads the output of the program in a thread, because a read can't be limited in time.
fn output(mut user: File) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        // Linux reports the end as an error.
        while let Ok(count @ 1..) = user.read(&mut bytes) {
            let _ = sender.send(bytes[..count].to_vec());
        }
    });
    output
}

/// Waits until the program reads single keys. Before that, the terminal would edit a line.
fn wait_for_reader(user: &File) -> Result<()> {
    let start = Instant::now();
    while tcgetattr(user)?.local_modes.contains(LocalModes::ICANON) {
        ensure!(start.elapsed() < LIMIT, "a question is not read");
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
