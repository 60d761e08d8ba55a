//! The frame and the colors of all images.

use anstyle::RgbColor;
use anyhow::{Context, Result};

/// Completes an SVG image: it scales with the page, and has a dark background that suits light and
/// dark pages.
pub(super) fn framed(svg: &str, [width, height]: [u32; 2]) -> Result<String> {
    let (_, inner) = svg.split_once("<svg").context("no element `svg`")?;
    let (_, inner) = inner.split_once('>').context("no element `svg`")?;
    let RgbColor(red, green, blue) = BACKGROUND;
    Ok(format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#{red:02x}{green:02x}{blue:02x}\"/>{inner}"
    ))
}

pub(super) const BACKGROUND: RgbColor = RgbColor(0x1e, 0x22, 0x29);
pub(super) const TEXT: RgbColor = RgbColor(0xd5, 0xda, 0xe2);
pub(super) const GREEN: RgbColor = RgbColor(0x8f, 0xc8, 0x72);

#[cfg(test)]
mod tests {
    use super::framed;

    #[test]
    fn an_image_scales_and_has_a_background() {
        let svg = framed("<svg width=\"3px\">\n<text/>\n</svg>\n", [30, 20]).unwrap();
        assert!(svg.starts_with("<svg width=\"30\" height=\"20\" viewBox=\"0 0 30 20\" xmlns="));
        assert!(
            svg.ends_with("fill=\"#1e2229\"/>\n<text/>\n</svg>\n"),
            "{svg}"
        );
    }
}
