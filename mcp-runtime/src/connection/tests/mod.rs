//! Tests the core of a connection against a model.

mod model;
