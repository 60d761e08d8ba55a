//! The commands that the pictures of a terminal show.

use std::path::Path;

use anyhow::{Result, ensure};

use super::pty;
use super::terminal::Terminal;

/// A picture of a terminal.
pub(super) struct Scene {
    /// The name of the file.
    pub(super) name: &'static str,
    steps: &'static [Step],
}

/// A command on the terminal.
struct Step {
    /// The command as a user types it.
    typed: &'static str,
    /// The program that the workspace has built for it, with its arguments.
    runs: &'static str,
    /// Questions of the program, with the keys that answer them.
    answers: &'static [(&'static str, &'static str)],
}

const ENTER: &str = "\r";

pub(super) const SCENES: [Scene; 4] = [
    Scene {
        name: "tour",
        steps: &[Step {
            typed: "cargo run -p mcp-examples --bin tour",
            runs: "target/debug/tour",
            answers: &[],
        }],
    },
    Scene {
        name: "inspect",
        steps: &[Step {
            typed: "mcp inspect -- target/debug/library",
            runs: "target/debug/mcp inspect -- target/debug/library",
            answers: &[],
        }],
    },
    Scene {
        name: "form",
        steps: &[Step {
            typed: "mcp call order -- target/debug/elicit",
            runs: "target/debug/mcp call order -- target/debug/elicit",
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
        }],
    },
    Scene {
        name: "first-server",
        steps: &[
            Step {
                typed: "mcp inspect -- target/release/converter",
                runs: "target/debug/mcp inspect -- target/debug/converter",
                answers: &[],
            },
            Step {
                typed: "mcp call convert value=100 from=celsius to=fahrenheit -- target/release/converter",
                runs: "target/debug/mcp call convert value=100 from=celsius to=fahrenheit -- target/debug/converter",
                answers: &[],
            },
            Step {
                typed: "mcp call convert value=hot from=celsius to=f -- target/release/converter",
                runs: "target/debug/mcp call convert value=hot from=celsius to=f -- target/debug/converter",
                answers: &[],
            },
        ],
    },
];

impl Scene {
    /// Runs the commands, and draws the terminal as it looks at the end.
    pub(super) fn draw(&self, root: &Path) -> Result<String> {
        let mut terminal = Terminal::new();
        for (number, step) in self.steps.iter().enumerate() {
            if number > 0 {
                terminal.write(b"\r\n");
            }
            terminal.write(format!("\x1b[32m$\x1b[0m \x1b[1m{}\x1b[0m\r\n", step.typed).as_bytes());
            let words: Vec<_> = step.runs.split(' ').collect();
            let unanswered = pty::run(root, &words, step.answers, &mut terminal)?;
            ensure!(unanswered.is_empty(), "not asked: {unanswered:?}");
        }
        terminal.draw()
    }
}
