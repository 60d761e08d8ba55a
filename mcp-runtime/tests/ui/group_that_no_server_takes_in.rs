#![allow(unused)]

use mcp_runtime::prelude::*;

pub struct Library;

#[mcp_server]
impl Library {
    /// Looks around.
    #[tool]
    pub fn look(&self) {}
}

#[mcp_server(group = admin)]
impl Library {
    /// Sweeps the floor.
    #[tool]
    pub fn sweep(&self) {}
}

fn main() {}
