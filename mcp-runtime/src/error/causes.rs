//! The causes of an error.

use std::error::Error;
use std::iter::successors;

/// The causes of `error`, from the outermost to the root cause.
pub(crate) fn causes(
    error: &(impl Error + ?Sized),
) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(error.source(), |cause| (*cause).source())
}

/// The text of `error`, and of those of its causes that add something.
pub(crate) fn with_causes(error: &(impl Error + ?Sized)) -> String {
    let mut text = error.to_string();
    for cause in causes(error) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.extend([": ", &cause]);
        }
    }
    text
}
