//! The files that a page is put together from.

use super::ReportError;
use super::packed::packed;
use super::stored::with_matrices_behind;
use serde::Serialize;

/// A kind of page: what it shows, and its scripts in the order in which they build on each other.
pub(super) struct Frame {
    main: &'static str,
    /// What comes below the first screen, unpacked with the scripts.
    below: &'static str,
    /// Whether time runs on it.
    plays: bool,
    styles: &'static [&'static str],
    scripts: &'static [&'static str],
}

macro_rules! scripts {
    ($($name:literal),* $(,)?) => { &[$(include_str!(concat!("explorer/", $name, ".js"))),*] };
}

/// What the first paint needs; the style of what comes later is unpacked with the scripts.
const STYLE: &str = include_str!("explorer/base.css");
const EXPLORER_STYLE: &str = include_str!("explorer/explorer.css");
const SWEEP_STYLE: &str = include_str!("explorer/sweep.css");
/// What every page has around it, the bar of time, and the pattern that a person gives as input.
const AROUND: &str = include_str!("explorer/page.html");
const PLAYER: &str = include_str!("explorer/player.html");
const INPUT: &str = include_str!("explorer/input.html");
/// Runs first and by itself: the theme, and how the rest is unpacked.
const BOOT: &str = include_str!("explorer/boot.js");

/// One network.
pub(super) const NETWORK: Frame = Frame {
    main: include_str!("explorer/network.html"),
    below: include_str!("explorer/sections.html"),
    plays: true,
    styles: &[EXPLORER_STYLE],
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
        "contents",
        "story",
        "rule",
        "claims",
        "turn",
        "gates",
        "weights",
        "sharing",
        "states",
        "holds",
        "input",
        "outputs",
        "rewire",
        "training",
        "address",
        "network_address",
        "main",
    ],
};

/// Two networks on one clock.
pub(super) const PAIR: Frame = Frame {
    main: include_str!("explorer/pair.html"),
    below: "",
    plays: true,
    styles: &[EXPLORER_STYLE, SWEEP_STYLE],
    scripts: scripts![
        "numeric", "cells", "colours", "dom", "terms", "exports", "heatmap", "spectrum", "player", "links", "wheel",
        "explorer", "contents", "input", "address", "pair",
    ],
};

/// A sweep.
pub(super) const SWEEP: Frame = Frame {
    main: include_str!("explorer/sweep.html"),
    below: "",
    plays: false,
    styles: &[EXPLORER_STYLE, SWEEP_STYLE],
    scripts: scripts!["numeric", "colours", "dom", "terms", "exports", "address", "sweep_cells", "sweep"],
};

impl Frame {
    /// Scripts without what only we read: comments and the blanks that lines begin with. No text of ours goes over several lines.
    fn script(&self) -> Result<String, serde_json::Error> {
        let lines = self.scripts.iter().flat_map(|script| script.lines()).map(str::trim);
        let kept: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("//")).collect();
        let [style, below] = [self.styles.concat(), self.below.replace("<!--INPUT-->", INPUT)];
        let [style, below] = [serde_json::to_string(&style)?, serde_json::to_string(&below)?];
        Ok(format!("addStyle({style});\naddBelow({below});\n{}", kept.join("\n")))
    }

    fn html(&self) -> String {
        let player = if self.plays { PLAYER } else { "" };
        AROUND.replace("<!--MAIN-->", self.main).replace("<!--PLAYER-->", player).replace("<!--INPUT-->", INPUT)
    }
}

/// The page: one file that needs nothing else. Scripts and data are compressed.
pub(super) fn assembled(frame: &Frame, title: &str, data: &impl Serialize) -> Result<String, ReportError> {
    Ok(frame
        .html()
        .replace("<!--TITLE-->", &escape(&format!("{title} - ketbra")))
        .replace("/*STYLE*/", STYLE)
        .replace("/*BOOT*/", BOOT)
        .replace("/*SCRIPT*/", &packed(frame.script()?.as_bytes())?)
        .replace("/*DATA*/", &packed(&with_matrices_behind(data)?)?))
}

/// Text that HTML and SVG take as text.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_script_goes_over_several_lines() {
        for script in [NETWORK, PAIR, SWEEP].iter().flat_map(|frame| frame.scripts) {
            assert!(script.lines().all(|line| line.matches('`').count() % 2 == 0));
        }
    }

    #[test]
    fn every_place_of_a_frame_is_filled_once() {
        for frame in [NETWORK, PAIR, SWEEP] {
            for place in ["<!--TITLE-->", "/*STYLE*/", "/*BOOT*/", "/*SCRIPT*/", "/*DATA*/"] {
                assert_eq!(frame.html().matches(place).count(), 1, "{place}");
            }
            assert!(!["<!--MAIN-->", "<!--PLAYER-->", "<!--INPUT-->"].iter().any(|place| frame.html().contains(place)));
        }
    }
}
