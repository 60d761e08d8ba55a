//! Receives the response of a login from the browser on this machine, or as an address that a
//! person pastes into the terminal because the browser is on another machine.

use std::future::pending;
use std::io;
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

use mcp_auth::Loopback;
use mcp_auth::client::redirect::{AcceptResponse, Redirect, RedirectReceiver};
use mcp_runtime::BoxFuture;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::yield_now;

use crate::output::note;
use crate::questions::lock;

/// The lines that are typed into the terminal once a login waits for them. A blocked thread can't be
/// stopped, so it reads for all logins of the command, and ends with it.
static LINES: LazyLock<tokio::sync::Mutex<UnboundedReceiver<String>>> = LazyLock::new(|| {
    let (sender, lines) = unbounded_channel();
    let read = move || {
        let mut typed = io::stdin().lines().map_while(Result::ok);
        typed.any(|line| sender.send(line).is_err());
    };
    // Without the thread, the login waits for the browser alone.
    let _ = thread::Builder::new().spawn(read);
    lines.into()
});

pub(crate) struct PastedRedirect;

struct Receiver(Box<dyn RedirectReceiver>);

impl Redirect for PastedRedirect {
    fn listen(&self, registered: Option<&str>) -> BoxFuture<io::Result<Box<dyn RedirectReceiver>>> {
        let listening = Loopback::any_port().listen(registered);
        Box::pin(async move {
            let receiver = Receiver(listening.await?);
            Ok(Box::new(receiver) as Box<dyn RedirectReceiver>)
        })
    }
}

impl RedirectReceiver for Receiver {
    fn uri(&self) -> &str {
        self.0.uri()
    }

    fn receive(self: Box<Self>, accept: AcceptResponse) -> BoxFuture<io::Result<()>> {
        let uri = self.uri().to_owned();
        let accept = Arc::new(Mutex::new(accept));
        let accept_pasted = Arc::clone(&accept);
        let from_browser = self.0.receive(Box::new(move |query| lock(&accept)(query)));
        Box::pin(async move {
            tokio::select! {
                received = from_browser => received,
                () = paste(&uri, &accept_pasted) => Ok(()),
            }
        })
    }
}

/// Reads lines until one of them is the response.
async fn paste(uri: &str, accept: &Mutex<AcceptResponse>) {
    // The page is shown first.
    yield_now().await;
    note("If the browser can't return to this machine, paste the address at which it ends:");
    let mut lines = LINES.lock().await;
    while let Some(line) = lines.recv().await {
        // Browsers do not send the fragment.
        let address = line.trim().split('#').next().unwrap_or_default();
        let query = address.strip_prefix(uri);
        match query.and_then(|it| it.strip_prefix('?')) {
            Some(query) if lock(accept)(query).is_some() => return,
            Some(_) => note(
                "This address is of another login, or incomplete. Paste the whole address at which \
                 the page above ends:",
            ),
            None if address.is_empty() => {}
            None => note(&format!(
                "This is not the address at which the login ends. Paste the address that begins \
                 with {uri}?"
            )),
        }
    }
    pending::<()>().await;
}
