//! The rules of buses.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{LARGEST, SOON, done, patterned, unique};
use crate::store::{Bus, BusEvent};

/// Number of messages whose order is checked.
const MESSAGES: usize = 200;

/// Checks that two handles of the same bus, such as the handles of two processes, keep the rules of
/// [`Bus`].
///
/// # Panics
///
/// When a rule is broken, or a call fails.
pub async fn bus(bus: impl Bus, other: impl Bus) {
    let bus: Arc<dyn Bus> = Arc::new(bus);
    let other: Arc<dyn Bus> = Arc::new(other);
    let prefix = Bytes::from(unique());
    let message = |content: &[u8]| Bytes::from([&*prefix, content].concat());
    done(bus.publish(message(b"nobody listens"))).await;
    let mut listeners = [
        BusListener::start(&bus, &prefix).await,
        BusListener::start(&bus, &prefix).await,
        BusListener::start(&other, &prefix).await,
    ];
    for number in 0..MESSAGES {
        done(bus.publish(message(number.to_string().as_bytes()))).await;
    }
    for listener in &mut listeners {
        for number in 0..MESSAGES {
            let found = listener.next().await;
            let expected = message(number.to_string().as_bytes());
            let rule = "each listener gets, in order and once, what is published from now on";
            assert_eq!(found, expected, "{rule}");
        }
    }
    let all = Bytes::from_iter(0..=u8::MAX);
    for content in [Bytes::new(), all, patterned(LARGEST - prefix.len())] {
        let published = message(&content);
        done(other.publish(published.clone())).await;
        for listener in &mut listeners {
            let is_same = listener.next().await == published;
            let length = published.len();
            assert!(is_same, "a message of {length} bytes stays as it is");
        }
    }
    let [mut stopped, mut first, mut second] = listeners;
    stopped.listening.shutdown().await;
    for content in [b"1", b"2"] {
        done(bus.publish(message(content))).await;
        for listener in [&mut first, &mut second] {
            let rule = "a listener does not depend on others";
            assert_eq!(listener.next().await, message(content), "{rule}");
        }
    }
    let after = stopped.events.try_recv();
    assert!(after.is_err(), "a dropped listener gets nothing: {after:?}");
}

struct BusListener {
    listening: JoinSet<()>,
    events: UnboundedReceiver<BusEvent>,
    prefix: Bytes,
}

impl BusListener {
    /// Listens, and waits until this has begun.
    async fn start(bus: &Arc<dyn Bus>, prefix: &Bytes) -> Self {
        let (sender, events) = unbounded_channel();
        let deliver = move |event| drop(sender.send(event));
        let mut this = Self {
            listening: JoinSet::new(),
            events,
            prefix: prefix.clone(),
        };
        this.listening.spawn(bus.listen(Arc::new(deliver)));
        let first = this.event("a listener gets a gap when it begins").await;
        assert_eq!(first, BusEvent::Gap, "the first event is a gap");
        this
    }

    async fn event(&mut self, rule: &str) -> BusEvent {
        let event = timeout(SOON, self.events.recv()).await;
        let event = event.unwrap_or_else(|_| panic!("{rule}"));
        event.expect("`listen` never ends on its own")
    }

    /// The next message of this run. Others may use the bus at the same time.
    async fn next(&mut self) -> Bytes {
        loop {
            match self.event("each message is delivered soon").await {
                BusEvent::Message(message) if message.starts_with(&self.prefix) => return message,
                _ => {}
            }
        }
    }
}
