//! Message types of the Model Context Protocol.
