//! Tests of both lifecycles together.

mod both_sides;
