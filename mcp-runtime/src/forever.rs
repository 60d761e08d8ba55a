//! Times so long that they never end.

use std::time::Duration;

/// As good as forever. Clocks can count that far, which they can't for every [`Duration`].
pub(crate) const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A time that may be added to any moment: whoever means never says [`Duration::MAX`].
pub(crate) fn bounded(time: Duration) -> Duration {
    time.min(FOREVER)
}
