//! What servers ask, and who answers.
//!
//! `form` and `page` are questions to the user, `sampling` is one to a language model, `roots` are
//! folders and files. `handlers` keeps who answers each kind, and says what is declared because of
//! that; in the handshake era the connection asks it for every request of the server, in the
//! stateless era `rounds` does, between one try of a call and the next.

mod builder;
mod form;
mod handlers;
mod page;
mod reply;
mod roots;
mod rounds;
mod url_required;

pub use form::Form;
pub(super) use handlers::Handlers;
pub use page::Page;
pub use reply::ElicitReply;
pub use roots::Roots;
pub(super) use rounds::Retry;
