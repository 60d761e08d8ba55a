//! The log about data that is not a picture.

use mcp_runtime::Image;
use tracing::Level;

use crate::support::log::Log;

#[test]
fn a_path_in_place_of_the_bytes_is_logged() {
    let (log, _guard) = Log::listening(Level::WARN);
    drop(Image::png(*b"\x89PNG\r\n\x1a\n"));
    drop(Image::jpeg(*b"\xff\xd8\xff\xe0"));
    assert_eq!(log.text(), "");
    drop(Image::png("picture.png"));
    drop(Image::jpeg("picture.jpg"));
    let text = log.text();
    assert_eq!(text.matches("not its path").count(), 2, "{text}");
}
