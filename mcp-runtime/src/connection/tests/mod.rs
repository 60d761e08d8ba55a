//! The core of a connection against a model.

mod model;
