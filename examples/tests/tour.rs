//! Runs the tour as a user would.
//!
//! This test has its own binary, because it copies programs and runs the copies. In a shared
//! binary, another thread could fork while a copy is open for writing, and an executable that is
//! open for writing can't be run.

#![allow(clippy::unwrap_used)]

use std::env::consts::EXE_EXTENSION;
use std::fs;
use std::process::Command;

#[test]
fn the_tour_works_and_fits_a_terminal() {
    // The tour rebuilds a calculator that is older than itself. Cargo may finish either of them
    // first, so the test copies both.
    let folder = tempfile::tempdir().unwrap();
    let [tour, _] = [
        ("tour", env!("CARGO_BIN_EXE_tour")),
        ("calculator", env!("CARGO_BIN_EXE_calculator")),
    ]
    .map(|(name, built)| {
        let copy = folder.path().join(name).with_extension(EXE_EXTENSION);
        fs::copy(built, &copy).unwrap();
        copy
    });
    let tour = Command::new(tour).output().unwrap();
    let said = String::from_utf8(tour.stdout).unwrap();
    assert!(tour.status.success(), "{said}");
    for line in [
        "  lifecycle   uninitialized → initializing → initialized → operating",
        "  lifecycle   uninitialized → operating",
        "  add     a: integer, b: integer  Adds two whole numbers.",
        "  ✓ add(2, 3)     → 5",
        "  ✗ divide(1, 0)  → division by zero: `b` must be another number",
        "  shutdown    operating → shutting down → terminated",
        "  process     exited when its input was closed (exit status: 0)",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n{said}");
    }
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    assert!(!said.contains('\x1b'), "colours belong on a terminal only");
}
