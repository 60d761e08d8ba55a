//! Server: accepts access tokens.
