//! The commands that the pictures of a terminal show.

use std::path::Path;

use anyhow::{Result, ensure};

use super::pty;
use super::terminal::Terminal;

/// A picture of a terminal.
pub(super) struct Scene {
    /// The name of the file.
    pub(super) name: &'static str,
    /// The commands as a user types them.
    commands: &'static [&'static str],
    answers: &'static [Answer],
}

/// A question of a program, and the keys that answer it.
pub(super) type Answer = (&'static str, &'static str);

const ENTER: &str = "\r";

pub(super) const SCENES: [Scene; 4] = [
    Scene {
        name: "tour",
        commands: &["cargo run -p mcp-examples --bin tour"],
        answers: &[],
    },
    Scene {
        name: "inspect",
        commands: &["mcp inspect -- target/debug/library"],
        answers: &[],
    },
    Scene {
        name: "form",
        commands: &["mcp call order -- target/debug/elicit"],
        answers: &[
            ("What would you like?", ENTER),
            // Space selects, and the arrow goes down.
            ("toppings", " \x1b[B\x1b[B \r"),
            ("size", "\x1b[B\r"),
            ("count", "2\r"),
            ("note", "well done, please\r"),
            ("All right?", ENTER),
            ("? answer", ENTER),
        ],
    },
    Scene {
        name: "first-server",
        commands: &[
            "mcp inspect -- target/release/converter",
            "mcp call convert value=100 from=celsius to=fahrenheit -- target/release/converter",
            "mcp call convert value=hot from=celsius to=f -- target/release/converter",
        ],
        answers: &[],
    },
];

impl Scene {
    /// Runs the commands, and draws the terminal as it looks at the end.
    pub(super) fn draw(&self, root: &Path) -> Result<String> {
        let mut terminal = Terminal::new();
        let mut answers = self.answers;
        for (number, command) in self.commands.iter().enumerate() {
            if number > 0 {
                terminal.write(b"\r\n");
            }
            terminal.write(format!("\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\r\n").as_bytes());
            answers = pty::run(root, &built(command), answers, &mut terminal)?;
        }
        ensure!(answers.is_empty(), "not asked: {answers:?}");
        terminal.draw()
    }
}

/// Returns the command that runs the programs in `target/debug`.
fn built(command: &str) -> String {
    let command = command.replace("target/release/", "target/debug/");
    command.replace("cargo run -p mcp-examples --bin ", "")
}
