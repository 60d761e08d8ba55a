//! Sets of revisions.

use std::fmt;

use crate::{Era, Revision};

/// A set of revisions, such as the revisions that have a field or that a peer supports.
///
/// ```
/// use mcp_types::{Revision, Revisions};
///
/// let icons = Revision::field("Tool", "icons").unwrap().revisions;
/// assert_eq!(icons.since(), Some(Revision::V2025_11_25));
/// assert_eq!(icons.until(), None);
///
/// let recent = Revisions::ALL.from(Revision::V2025_06_18);
/// assert!(recent.contains(Revision::V2025_11_25));
/// assert!(!recent.contains(Revision::V2024_11_05));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Revisions(pub(crate) u64);

impl Revisions {
    /// All known revisions.
    pub const ALL: Self = Self(u64::MAX >> (64 - Revision::ALL.len()));

    /// Returns the set with only `revision`.
    #[must_use]
    pub const fn only(revision: Revision) -> Self {
        Self(1 << revision.index())
    }

    /// Returns the revisions of the set that are not older than `oldest`.
    #[must_use]
    pub const fn from(self, oldest: Revision) -> Self {
        Self(self.0 & !((1 << oldest.index()) - 1))
    }

    /// Returns the revisions of the set that are not newer than `newest`.
    #[must_use]
    pub const fn up_to(self, newest: Revision) -> Self {
        Self(self.0 & (u64::MAX >> (63 - newest.index())))
    }

    /// Returns the revisions of the set that belong to `era`.
    #[must_use]
    pub fn of(self, era: Era) -> Self {
        let members = self.iter().filter(|revision| revision.era() == era);
        members.fold(Self(0), |set, revision| {
            Self(set.0 | Self::only(revision).0)
        })
    }

    /// Returns true if the set contains `revision`.
    #[must_use]
    pub const fn contains(self, revision: Revision) -> bool {
        self.0 >> revision.index() & 1 == 1
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the revisions, oldest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Revision> {
        Revision::ALL
            .into_iter()
            .filter(move |revision| self.contains(*revision))
    }

    /// Returns the oldest revision of the set.
    #[must_use]
    pub fn since(self) -> Option<Revision> {
        self.iter().next()
    }

    /// Returns the newest revision of the set, or `None` if it is the newest known revision: the set has
    /// no end yet.
    #[must_use]
    pub fn until(self) -> Option<Revision> {
        self.iter()
            .next_back()
            .filter(|last| *last != Revision::LATEST)
    }

    /// Returns the newest revision of the set that belongs to `era`.
    #[must_use]
    pub fn newest_of(self, era: Era) -> Option<Revision> {
        self.iter().rfind(|revision| revision.era() == era)
    }
}

impl fmt::Debug for Revisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(Revision::as_str))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_narrow_the_set() {
        let middle = Revisions::ALL
            .from(Revision::V2025_03_26)
            .up_to(Revision::V2025_06_18);
        let members: Vec<_> = middle.iter().collect();
        assert_eq!(members, [Revision::V2025_03_26, Revision::V2025_06_18]);
        assert_eq!(middle.newest_of(Era::Stateless), None);
        let stateless = Revisions::ALL.of(Era::Stateless);
        assert_eq!(stateless, Revisions::only(Revision::V2026_07_28));
        let newest = Revisions::ALL.newest_of(Era::Handshake);
        assert_eq!(newest, Some(Revision::LATEST_HANDSHAKE));
        assert!(middle.from(Revision::LATEST).is_empty());
    }
}
