//! The files that a page is put together from.

use super::ReportError;
use super::packed::packed;

/// A kind of page: its HTML, and its scripts in the order in which they build on each other.
pub(super) struct Frame {
    html: &'static str,
    scripts: &'static [&'static str],
}

macro_rules! scripts {
    ($($name:literal),* $(,)?) => { &[$(include_str!(concat!("explorer/", $name, ".js"))),*] };
}

const STYLE: &str = concat!(
    include_str!("explorer/base.css"),
    include_str!("explorer/explorer.css"),
    include_str!("explorer/sweep.css")
);
/// Runs first and by itself: the theme, and how the rest is unpacked.
const BOOT: &str = include_str!("explorer/boot.js");

/// One network.
pub(super) const NETWORK: Frame = Frame {
    html: include_str!("explorer/index.html"),
    scripts: scripts![
        "numeric",
        "cells",
        "editing",
        "colours",
        "dom",
        "terms",
        "exports",
        "safetensors",
        "heatmap",
        "chart",
        "spectrum",
        "player",
        "links",
        "wheel",
        "wheel_edit",
        "explorer",
        "story",
        "rule",
        "claims",
        "turn",
        "gates",
        "weights",
        "sharing",
        "states",
        "input",
        "outputs",
        "rewire",
        "training",
        "address",
        "main",
    ],
};

/// Two networks on one clock.
pub(super) const PAIR: Frame = Frame {
    html: include_str!("explorer/pair.html"),
    scripts: scripts![
        "numeric", "cells", "colours", "dom", "terms", "exports", "heatmap", "spectrum", "player", "links", "wheel",
        "explorer", "input", "pair",
    ],
};

/// A sweep.
pub(super) const SWEEP: Frame = Frame {
    html: include_str!("explorer/sweep.html"),
    scripts: scripts!["numeric", "colours", "dom", "terms", "exports", "sweep_cells", "sweep"],
};

/// The page: one file that needs nothing else. Scripts and data are compressed.
pub(super) fn assembled(frame: &Frame, title: &str, data: &[u8]) -> Result<String, ReportError> {
    Ok(frame
        .html
        .replace("<!--TITLE-->", &escape(&format!("{title} - ketbra")))
        .replace("/*STYLE*/", STYLE)
        .replace("/*BOOT*/", BOOT)
        .replace("/*SCRIPT*/", &packed(frame.scripts.join("\n").as_bytes())?)
        .replace("/*DATA*/", &packed(data)?))
}

/// Text that HTML and SVG take as text.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_frame_is_filled_once() {
        for frame in [NETWORK, PAIR, SWEEP] {
            for place in ["<!--TITLE-->", "/*STYLE*/", "/*BOOT*/", "/*SCRIPT*/", "/*DATA*/"] {
                assert_eq!(frame.html.matches(place).count(), 1, "{place}");
            }
        }
    }
}
