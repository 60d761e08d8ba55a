//! Changes of what a server says of itself as a whole.

use std::sync::PoisonError;

use crate::server::introduction::Introduction;
use crate::server::live::Live;

impl Live {
    /// Changes what the server says of itself as a whole. Nobody is told: clients ask when they
    /// connect.
    pub(super) fn introduce(&self, introduction: Introduction) {
        {
            let inventory = self.inventory.lock();
            let mut inventory = inventory.unwrap_or_else(PoisonError::into_inner);
            if inventory.introduction == introduction {
                return;
            }
            inventory.introduction = introduction;
            self.renew(&inventory, &[]);
        }
        self.join_again_above();
    }

    /// Has the servers that mount this one, at any depth, ask what it says of itself.
    fn join_again_above(&self) {
        for relay in self.relays.all() {
            if let Some(outer) = relay.outer.upgrade() {
                outer.look(|inventory| outer.renew(inventory, &[]));
                outer.join_again_above();
            }
        }
    }
}
