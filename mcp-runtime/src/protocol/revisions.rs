//! Sets of revisions.

use std::fmt;

use mcp_types::{Era, Revision};

/// The revisions that a peer is willing to speak.
///
/// ```
/// use mcp_runtime::{Revision, Revisions};
///
/// let recent = Revisions::ALL.from(Revision::V2025_06_18);
/// assert!(recent.contains(Revision::V2025_11_25));
/// assert!(!recent.contains(Revision::V2024_11_05));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Revisions(u8);

impl Revisions {
    /// Every known revision.
    pub const ALL: Self = Self((1 << Revision::ALL.len()) - 1);

    /// Only `revision`.
    #[must_use]
    pub const fn only(revision: Revision) -> Self {
        Self(1 << revision.index())
    }

    /// Those of the set that are as new as `oldest` or newer.
    #[must_use]
    pub const fn from(self, oldest: Revision) -> Self {
        Self(self.0 & !((1 << oldest.index()) - 1))
    }

    /// Those of the set that are as old as `newest` or older.
    #[must_use]
    pub const fn up_to(self, newest: Revision) -> Self {
        Self(self.0 & ((1 << (newest.index() + 1)) - 1))
    }

    /// Those of the set that belong to `era`.
    #[must_use]
    pub fn of(self, era: Era) -> Self {
        let members = self.iter().filter(|revision| revision.era() == era);
        members.fold(Self(0), |set, revision| {
            Self(set.0 | Self::only(revision).0)
        })
    }

    /// Whether `revision` is in the set.
    #[must_use]
    pub const fn contains(self, revision: Revision) -> bool {
        self.0 & (1 << revision.index()) != 0
    }

    /// The members, newest first.
    pub fn iter(self) -> impl Iterator<Item = Revision> {
        let members = Revision::ALL.into_iter().rev();
        members.filter(move |revision| self.contains(*revision))
    }

    /// The newest member of an era.
    #[must_use]
    pub fn newest_of(self, era: Era) -> Option<Revision> {
        self.iter().find(|revision| revision.era() == era)
    }
}

impl fmt::Debug for Revisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
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
        assert_eq!(members, [Revision::V2025_06_18, Revision::V2025_03_26]);
        assert_eq!(middle.newest_of(Era::Stateless), None);
        let stateless = Revisions::ALL.of(Era::Stateless);
        assert_eq!(stateless, Revisions::only(Revision::V2026_07_28));
        let newest = Revisions::ALL.newest_of(Era::Handshake);
        assert_eq!(newest, Some(Revision::LATEST_HANDSHAKE));
    }
}
