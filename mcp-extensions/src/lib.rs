//! Extensions of the Model Context Protocol on the hooks of [`mcp_runtime`].
//!
//! [`tasks`] is `io.modelcontextprotocol/tasks`: calls of tools that go on after they were answered.

#[cfg(feature = "tasks")]
pub mod tasks;
