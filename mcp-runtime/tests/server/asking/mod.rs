//! Handlers that ask the client, and clients that answer.

mod both_eras;
mod client;
mod malformed;
mod party;
mod refusals;
mod server;
mod time_limits;
