//! Runs the command on a pseudo-terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::support::User;

/// The maximum time without output.
const LIMIT: Duration = Duration::from_secs(60);

/// The command, running on its own terminal.
pub(crate) struct Terminal {
    child: Child,
    controller: File,
    output: Receiver<Vec<u8>>,
    shown: Vec<u8>,
    /// The end of the last question that was found in the output.
    seen: usize,
}

impl Terminal {
    pub(crate) fn start(user: &User, arguments: &[&str]) -> Self {
        Self::of_width(200, user, arguments)
    }

    pub(crate) fn of_width(columns: u16, user: &User, arguments: &[&str]) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let terminal = rustix::fs::open(OsStr::from_bytes(name.as_bytes()), flags, Mode::empty());
        let terminal = File::from(terminal.unwrap());
        let size = Winsize {
            ws_row: 50,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&terminal, size).unwrap();
        let mut command = user.command(arguments);
        command
            .stdin(terminal.try_clone().unwrap())
            .stdout(terminal.try_clone().unwrap());
        command
            .stderr(terminal)
            .env("TERM", "xterm-256color")
            .env("BROWSER", "false");
        let child = command.spawn().unwrap();
        let controller = File::from(controller);
        let (sender, output) = channel();
        let mut reader = controller.try_clone().unwrap();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Linux reports the end as an error.
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let _ = sender.send(bytes[..count].to_vec());
            }
        });
        Self {
            child,
            controller,
            output,
            shown: Vec::new(),
            seen: 0,
        }
    }

    /// Reads more output. Returns false at the end.
    #[track_caller]
    fn read(&mut self) -> bool {
        let output = self.output.recv_timeout(LIMIT);
        if output == Err(RecvTimeoutError::Timeout) {
            let _ = self.child.kill();
            panic!("it waits: {}", String::from_utf8_lossy(&self.shown));
        }
        self.shown.extend(output.iter().flatten());
        output.is_ok()
    }

    pub(crate) fn answer(&mut self, question: &str, keys: &str) {
        loop {
            let mut parts = self.shown[self.seen..].windows(question.len());
            if let Some(at) = parts.position(|it| it == question.as_bytes()) {
                self.seen += at + question.len();
                break;
            }
            assert!(
                self.read(),
                "{question}: {}",
                String::from_utf8_lossy(&self.shown)
            );
        }
        // Until the command reads single keys, the terminal edits lines: it handles ^? and changes
        // ^M.
        let start = Instant::now();
        while self.edits_lines() {
            assert!(start.elapsed() < LIMIT, "{question} is not read");
            thread::yield_now();
        }
        self.controller.write_all(keys.as_bytes()).unwrap();
    }

    fn edits_lines(&self) -> bool {
        let modes = tcgetattr(&self.controller).unwrap().local_modes;
        modes.contains(LocalModes::ICANON)
    }

    /// Waits for the end of the command, and returns its exit code and its whole output.
    pub(crate) fn end(mut self) -> (i32, String) {
        while self.read() {}
        let code = self.child.wait().unwrap().code().unwrap();
        (code, String::from_utf8(self.shown).unwrap())
    }
}
