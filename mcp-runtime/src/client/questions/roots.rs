//! The folders and files that servers should work on.

use std::sync::Arc;

use mcp_types::{Root, RootsListChangedNotification, Side, methods};
use tokio::sync::watch;

use crate::client::slot::{Phase, Slot};

/// The folders and files that servers should work on (2026-07-28, "Roots"). Cloning is cheap: the
/// clones share the list.
///
/// ```
/// use mcp_runtime::client::Roots;
/// use mcp_runtime::types::Root;
///
/// let roots = Roots::new([Root::new("file:///home/ada/project")]);
/// let client = mcp_runtime::Client::builder("editor", "1.0.0").roots(&roots);
/// // Later: connected servers are told that the list has changed.
/// roots.set([Root::new("file:///home/ada/other")]);
/// # drop(client);
/// ```
#[derive(Clone, Debug)]
pub struct Roots {
    list: Arc<watch::Sender<Vec<Root>>>,
}

impl Roots {
    /// A list of roots, each with a `file:` URI.
    #[must_use]
    pub fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        Self {
            list: Arc::new(watch::Sender::new(roots.into_iter().collect())),
        }
    }

    /// The roots.
    #[must_use]
    pub fn list(&self) -> Vec<Root> {
        self.list.borrow().clone()
    }

    /// Replaces the list. Servers of the handshake era are told that it has changed; those of the
    /// stateless era ask whenever they need it.
    pub fn set(&self, roots: impl IntoIterator<Item = Root>) {
        self.list.send_replace(roots.into_iter().collect());
    }

    /// Tells whichever server is connected of each change, until the client is closed.
    pub(in crate::client) fn announce(
        &self,
        slot: watch::Receiver<Slot>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let mut changes = self.list.subscribe();
        async move {
            let mut closed = slot.clone();
            let closed = closed.wait_for(|slot| slot.phase == Phase::Down);
            let told = async {
                while changes.changed().await.is_ok() {
                    tell(&slot.borrow());
                }
            };
            tokio::select! {
                _ = closed => {}
                () = told => {}
            }
        }
    }
}

/// Tells a server that roots have changed, if it can be told.
fn tell(slot: &Slot) {
    let connection = &slot.connection;
    let revision = connection.agreed.negotiated.revision;
    if !revision.allows(methods::NOTIFICATIONS_ROOTS_LIST_CHANGED, Side::Client) {
        return;
    }
    let peer = connection.link.peer();
    // A connection that is lost is made anew, and the server asks again.
    let _ = peer.notify::<RootsListChangedNotification>(None);
}

impl<R: Into<Root>, const N: usize> From<[R; N]> for Roots {
    fn from(roots: [R; N]) -> Self {
        Self::new(roots.map(Into::into))
    }
}

impl From<&Roots> for Roots {
    fn from(roots: &Roots) -> Self {
        roots.clone()
    }
}
