//! Calls that an extension detaches from their requests.

mod calls;
mod workshop;
