//! Each mistake gets one message: ours, on the token at fault, with how to mend it.
//!
//! `TRYBUILD=overwrite cargo test -p mcp-runtime --test ui` writes the messages anew.

#[test]
fn every_mistake_is_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
