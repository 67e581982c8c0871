//! `ketbra figures`: pictures for papers.

use crate::failure::Failure;
use crate::subject::{Known, beside, provenance, write};
use crate::terminal::{hanging, print};
use crate::written::print_made;
use ketbra::report::ReportError;
use ketbra::report::figures::{animation, figures, training_animation};
use std::path::PathBuf;

/// Draw the figures of a network: SVG and PNG in print sizes, the moving circuit and its training as GIF
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra figures runs/t2
  ketbra figures net.safetensors --task T3 --out figures --dpi 600

Names follow the paper: figure2-circuit, figure3-hidden-state, figure4-weights, appendix-spectrum, appendix-summary.
circuit.gif shows the circuit moving, and training.gif its spectrum on the way there, where weights were kept with
'ketbra train --snapshots N'. The same network gives the same bytes.")]
pub struct FiguresCommand {
    /// A run folder or a file: .safetensors, .npz, .pt, .pth, .ckpt, or a saved interpretation
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[command(flatten)]
    known: Known,
    /// Folder for the figures [default: figures in a run folder, NAME.figures beside a file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Dots per inch of the PNG files
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u16).range(30..=1200))]
    dpi: u16,
    /// Dots across the animations [default: 432, or less where the file would have more than 1 MB]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(120..=1200), conflicts_with = "still")]
    gif_width: Option<u16>,
    /// Leave out the animations
    #[arg(long)]
    still: bool,
    /// Print JSON: the files written, and what the network comes to
    #[arg(long)]
    json: bool,
}

type Moving = Result<Option<Vec<u8>>, ReportError>;

/// Widths of animations that are tried, and how large a file may be.
const WIDTHS: [u16; 4] = [432, 360, 300, 240];
const MOST_BYTES: usize = 1_000_000;

impl FiguresCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let (file, found) = self.known.interpreted(&self.path)?;
        let folder = self.out.clone().unwrap_or_else(|| beside(&self.path, "figures"));
        let training = provenance(&self.path, &file).training;
        let say = |line: String| {
            if !self.json {
                print(&line)
            }
        };
        let mut files = vec![];
        for picture in figures(&file.network, &found, training.as_ref())? {
            let png = picture.png(f64::from(self.dpi))?;
            files.push(write(&folder.join(format!("{}.svg", picture.name)), picture.svg().as_bytes())?);
            files.push(write(&folder.join(format!("{}.png", picture.name)), &png)?);
            say(line(picture.name, &picture.caption));
        }
        if !self.still {
            let circuit = self.moving(|width| animation(&file.network, &found, width))?;
            let course = self.moving(|width| match &training {
                Some(training) => training_animation(training, &found, width),
                None => Ok(None),
            })?;
            let moving = [
                ("circuit.gif", circuit, "The circuit moving."),
                ("training.gif", course, "Eigenvalues, accuracy, loss and horizon over training."),
            ];
            for (name, gif, caption) in moving {
                if let Some(gif) = gif {
                    files.push(write(&folder.join(name), &gif)?);
                    say(line(name, caption));
                }
            }
        }
        say(format!("{}\n", folder.display()));
        if self.json {
            print_made(Some(&self.path), &found, &files)?;
        }
        Ok(())
    }

    /// An animation of the width that was asked for, or of the largest that can be mailed.
    fn moving(&self, make: impl Fn(u16) -> Moving) -> Result<Option<Vec<u8>>, Failure> {
        let widths = self.gif_width.map_or_else(|| WIDTHS.to_vec(), |width| vec![width]);
        let mut made = None;
        for width in widths {
            made = make(width)?;
            if made.as_ref().is_none_or(|gif| gif.len() < MOST_BYTES) {
                break;
            }
        }
        Ok(made)
    }
}

/// A name and what it is, wrapped at the terminal's width.
fn line(name: &str, caption: &str) -> String {
    hanging(&format!("{name:<22}"), 22, caption)
}
