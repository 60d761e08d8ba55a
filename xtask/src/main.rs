//! Development tasks of this workspace: `cargo xtask --help`.
fn main() {}
