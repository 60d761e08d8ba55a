//! Attribute macros of the Model Context Protocol framework.
