//! Runs the tour as a user would.

use std::process::Command;

#[test]
fn the_tour_works_and_fits_a_terminal() {
    let tour = Command::new(env!("CARGO_BIN_EXE_tour")).output().unwrap();
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
        "  question    Store 42?",
        "  changed     calculator://memory",
        "  progress    2 of 3: added 2",
        "  ✓ sum(1, 2, 3)  → 6",
        "  ✓ add(2, 3)     → 5, from a new process",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n{said}");
    }
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    assert!(!said.contains('\x1b'), "colours belong on a terminal only");
}
