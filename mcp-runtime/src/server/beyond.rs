//! What servers offer beyond tools: prompts and resources.
//!
//! Whatever keeps them knows them by a trait alone, which is implemented where there are any. So a
//! server of tools is linked without them, down to what drops them.

use std::fmt;
use std::sync::Arc;

use super::Change;
use super::edit::Inventory;
use super::prompts::{PromptRoute, Prompts};
use super::resources::{ResourceRoute, Resources};
use super::router::Facts;
use super::routes::Stock;
use super::settings::Settings;

/// All prompts and resources that a server has, switched off or not.
#[derive(Debug, Default)]
pub(super) struct Shelves {
    pub(super) prompts: Stock<PromptRoute>,
    pub(super) resources: Stock<ResourceRoute>,
}

/// Those that it offers.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) prompts: Arc<Prompts>,
    pub(super) resources: Arc<Resources>,
}

/// [`Shelves`], if there are any.
pub(super) trait Shelved: fmt::Debug + Send + Sync {
    fn shelves(&self) -> &Shelves;
    fn shelves_mut(&mut self) -> &mut Shelves;
}

/// [`Tables`], if there are any.
pub(super) trait Offered: fmt::Debug + Send + Sync {
    fn tables(&self) -> &Tables;
    /// Adds what there is to declare of them.
    fn declare(&self, facts: &mut Facts);
}

/// [`offer`], as those know it who may have nothing to offer.
pub(super) type Offer =
    fn(&Inventory, &Settings, Option<&dyn Offered>, &[Change]) -> Arc<dyn Offered>;

impl Inventory {
    /// The prompts and resources; none, if there were none yet.
    pub(super) fn shelves(&mut self) -> &mut Shelves {
        let shelved = self.beyond.get_or_insert_with(|| Box::<Shelves>::default());
        shelved.shelves_mut()
    }
}

/// What `inventory` offers after `changes`; what has not changed is shared with what was offered
/// `before`.
pub(super) fn offer(
    inventory: &Inventory,
    settings: &Settings,
    before: Option<&dyn Offered>,
    changes: &[Change],
) -> Arc<dyn Offered> {
    let none = Shelves::default();
    let shelves = inventory.beyond.as_ref();
    let shelves = shelves.map_or(&none, |shelved| shelved.shelves());
    let before = |change| {
        let unchanged = before.filter(|_| !changes.contains(&change));
        unchanged.map(Offered::tables)
    };
    let prompts = match before(Change::Prompts) {
        Some(before) => Arc::clone(&before.prompts),
        None => Arc::new(Prompts::new(shelves.prompts.routes(), settings)),
    };
    let resources = match before(Change::Resources) {
        Some(before) => Arc::clone(&before.resources),
        None => Arc::new(Resources::new(shelves.resources.routes(), settings)),
    };
    Arc::new(Tables { prompts, resources })
}

impl Shelved for Shelves {
    fn shelves(&self) -> &Shelves {
        self
    }

    fn shelves_mut(&mut self) -> &mut Shelves {
        self
    }
}

impl Offered for Tables {
    fn tables(&self) -> &Tables {
        self
    }

    fn declare(&self, facts: &mut Facts) {
        facts.prompts = !self.prompts.is_empty();
        facts.resources = !self.resources.is_empty();
        facts.completers = self.prompts.has_completers() || self.resources.has_completers();
        facts.subscribable = self.resources.has_subscribable();
    }
}
