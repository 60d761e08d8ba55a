//! The lists of a server.

use std::fmt;

/// A list that a server shows to its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum List {
    /// The tools.
    Tools,
    /// The prompts.
    Prompts,
    /// The resources, and the templates of resources.
    Resources,
}

impl List {
    /// Every list.
    pub const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];
}

/// Some of the lists of a server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lists([bool; List::ALL.len()]);

impl Lists {
    pub(super) fn add(&mut self, list: List) {
        self.0[list as usize] = true;
    }

    pub(super) fn add_all(&mut self, lists: impl IntoIterator<Item = List>) {
        for list in lists {
            self.add(list);
        }
    }

    pub(super) fn contains(self, list: List) -> bool {
        self.0[list as usize]
    }

    /// The lists, in the order of [`List::ALL`].
    pub(super) fn iter(self) -> impl Iterator<Item = List> {
        List::ALL
            .into_iter()
            .filter(move |list| self.contains(*list))
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
        })
    }
}
