//! The queue of commands to a driver. The total size of the waiting messages is limited.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{Semaphore, TryAcquireError};

use super::BoxFuture;
use super::peer::{Command, Link, Peer, Unsent};
use crate::error::CallError;
use crate::limits::MAX_QUEUED_BYTES;

/// A link that sends commands through the queue of a driver.
struct Queue {
    commands: UnboundedSender<Command>,
    room: Arc<Semaphore>,
    last_id: AtomicI64,
}

/// The driver's end of the queue.
#[derive(Debug)]
pub(crate) struct Commands {
    queue: UnboundedReceiver<Command>,
    room: Arc<Semaphore>,
    /// The room of commands that have left the queue, but whose messages have not been sent yet.
    taken: usize,
}

impl Peer {
    pub(crate) fn channel() -> (Self, Commands) {
        let (queue, commands) = queue();
        (Self::over(Arc::new(queue)), commands)
    }
}

fn queue() -> (Queue, Commands) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(MAX_QUEUED_BYTES));
    let queue = Queue {
        commands: sender,
        room: Arc::clone(&room),
        last_id: AtomicI64::new(0),
    };
    let commands = Commands {
        queue: receiver,
        room,
        taken: 0,
    };
    (queue, commands)
}

impl Commands {
    /// Waits for the next command. Returns `None` once all peers are dropped. This is cancel safe.
    pub(crate) async fn recv(&mut self) -> Option<Command> {
        let command = self.queue.recv().await?;
        Some(self.take(command))
    }

    pub(super) fn try_recv(&mut self) -> Option<Command> {
        let command = self.queue.try_recv().ok()?;
        Some(self.take(command))
    }

    fn take(&mut self, command: Command) -> Command {
        self.taken += room_for(&command);
        command
    }

    /// Refuses new commands. Waiting commands can still be taken.
    pub(super) fn close(&mut self) {
        self.room.close();
        self.queue.close();
    }

    /// Frees the room of the commands that were taken, because their messages have been sent.
    pub(super) fn make_room(&mut self) {
        if self.taken > 0 {
            self.room.add_permits(std::mem::take(&mut self.taken));
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        self.room.close();
    }
}

impl Link for Queue {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        let room = room_for(&command);
        if room > 0 {
            match self.room.try_acquire_many(permits(room)) {
                Ok(permit) => permit.forget(),
                Err(TryAcquireError::NoPermits) => return Err(Unsent::Full(Box::new(command))),
                Err(TryAcquireError::Closed) => return Err(Unsent::Closed),
            }
        }
        let sent = self.commands.send(command);
        sent.map_err(|_| Unsent::Closed)
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>> {
        let commands = self.commands.clone();
        let space = Arc::clone(&self.room);
        Box::pin(async move {
            let permit = space.acquire_many(permits(room_for(&command))).await;
            permit.map_err(|_| CallError::Closed)?.forget();
            commands.send(command).map_err(|_| CallError::Closed)
        })
    }

    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Returns the room that a command takes. A message that is larger than the queue takes all of it.
fn room_for(command: &Command) -> usize {
    match command {
        Command::Request { frame, .. }
        | Command::Notify {
            frame,
            urgent: false,
        } => frame.len().min(MAX_QUEUED_BYTES),
        Command::Notify { urgent: true, .. }
        | Command::Abandon { .. }
        | Command::NotReady
        | Command::ShutDown
        | Command::Abort => 0,
    }
}

fn permits(room: usize) -> u32 {
    u32::try_from(room).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notify(bytes: usize) -> Command {
        Command::Notify {
            frame: vec![b'x'; bytes],
            urgent: false,
        }
    }

    #[tokio::test]
    async fn the_queue_has_room_again_once_what_it_held_has_left() {
        let (queue, mut commands) = queue();
        assert!(queue.send(notify(MAX_QUEUED_BYTES - 10)).is_ok());
        assert!(matches!(queue.send(notify(11)), Err(Unsent::Full(_))));
        assert!(queue.send(Command::Abandon { id: 1 }).is_ok());
        let frame = vec![b'x'; 1000];
        let urgent = true;
        assert!(queue.send(Command::Notify { frame, urgent }).is_ok());
        let waiting = tokio::spawn(queue.send_later(notify(2 * MAX_QUEUED_BYTES)));
        for _ in 0..3 {
            assert!(commands.recv().await.is_some());
        }
        assert!(commands.try_recv().is_none());
        commands.make_room();
        waiting.await.unwrap().unwrap();
        assert!(commands.recv().await.is_some());
        assert!(matches!(queue.send(notify(1)), Err(Unsent::Full(_))));
    }

    #[tokio::test]
    async fn nobody_waits_for_a_driver_that_is_gone() {
        let (queue, commands) = queue();
        assert!(queue.send(notify(MAX_QUEUED_BYTES)).is_ok());
        let waiting = tokio::spawn(queue.send_later(notify(1)));
        drop(commands);
        assert!(matches!(waiting.await.unwrap(), Err(CallError::Closed)));
        assert!(matches!(queue.send(notify(1)), Err(Unsent::Closed)));
    }
}
