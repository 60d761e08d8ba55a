//! A server that stands for another one, which is reached through a client.
//!
//! `remote` asks that server what it has, and makes routes that lead there (`routes`); `follow`
//! asks again whenever it says that something has changed.

mod follow;
mod open;
mod remote;
mod routes;
