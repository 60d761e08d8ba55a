//! What two sides said to each other.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::Side;

/// The messages of a connection, in the order in which they arrived. Cloning is cheap: the clones
/// share what is written down.
///
/// Its [`Display`](fmt::Display) form has one message a line, for snapshots:
///
/// ```
/// # use mcp_runtime::prelude::*;
/// use mcp_runtime::testing::{self, Recording};
/// # struct Calculator;
/// # #[mcp_server(name = "calculator", version = "1.0.0")]
/// # impl Calculator {
/// #     /// Adds two whole numbers.
/// #     #[tool]
/// #     fn add(&self, a: i64, b: i64) -> i64 { a + b }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = Recording::default();
/// let revision = mcp_runtime::Revision::V2025_06_18;
/// let client = testing::connect(Calculator).revision(revision).record(&recording).await?;
/// client.ping().await?;
/// // Where an answer has come, all that was said before has arrived, too.
/// recording.clear();
/// client.ping().await?;
/// assert_eq!(
///     recording.to_string(),
///     r#"client: {"jsonrpc":"2.0","id":3,"method":"ping","params":{}}
/// server: {"jsonrpc":"2.0","id":3,"result":{}}
/// "#,
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recording {
    messages: Arc<Mutex<Vec<(Side, String)>>>,
}

impl Recording {
    /// Each message as it was sent, and who sent it.
    #[must_use]
    pub fn messages(&self) -> Vec<(Side, String)> {
        self.lock().clone()
    }

    /// Forgets what has arrived so far, such as the greetings.
    pub fn clear(&self) {
        self.lock().clear();
    }

    pub(super) fn push(&self, sender: Side, message: &[u8]) {
        let message = String::from_utf8_lossy(message).into_owned();
        self.lock().push((sender, message));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Side, String)>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock().iter().try_for_each(|(sender, message)| {
            let sender = match sender {
                Side::Client => "client",
                Side::Server => "server",
            };
            writeln!(f, "{sender}: {message}")
        })
    }
}
