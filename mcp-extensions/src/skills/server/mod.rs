//! The server side: what it loads, and how it serves it.
