//! `ketbra figures`: pictures for papers.

use crate::failure::Failure;
use crate::made::print_made;
use crate::progress::Share;
use crate::subject::{Known, beside, interpret_watched, write};
use crate::terminal::{FAINT, print};
use ketbra::interpret::InterpretParams;
use ketbra::report::Provenance;
use ketbra::report::figures::{animation, figures};
use std::path::PathBuf;

/// Draw the figures of a network: SVG and PNG in print sizes, the moving circuit as GIF
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra figures runs/t2
  ketbra figures net.safetensors --task T3 --out figures --dpi 600

Names follow the paper: figure2-circuit, figure3-hidden-state, figure4-weights, appendix-spectrum, appendix-summary.
The same network gives the same bytes.")]
pub struct FiguresCommand {
    /// A run folder or a file: .safetensors, .npz, .pt, .pth, .ckpt
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
    /// Dots across the animation: its size in bytes grows with the square
    #[arg(long, value_name = "N", default_value_t = 432, value_parser = clap::value_parser!(u16).range(120..=1200), conflicts_with = "still")]
    gif_width: u16,
    /// Leave out the animation
    #[arg(long)]
    still: bool,
    /// Print JSON: the files written, and what the network comes to
    #[arg(long)]
    json: bool,
}

impl FiguresCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let file = self.known.open(&self.path)?;
        let question = self.known.question(&file)?;
        let found = interpret_watched(&file, &question, &InterpretParams::default(), Some(&Share::new()))?;
        let folder = self.out.clone().unwrap_or_else(|| beside(&self.path, "figures"));
        let training = Provenance::of(&self.path, &file).training;
        let say = |line: String| {
            if !self.json {
                print(&line)
            }
        };
        let mut files = vec![];
        for picture in figures(&file.network, &found, training.as_ref()).map_err(Failure::could_not)? {
            let png = picture.png(f64::from(self.dpi)).map_err(Failure::could_not)?;
            files.push(write(&folder.join(format!("{}.svg", picture.name)), picture.svg().as_bytes())?);
            files.push(write(&folder.join(format!("{}.png", picture.name)), &png)?);
            say(format!("{:<22}{FAINT}{}{FAINT:#}\n", picture.name, picture.caption));
        }
        if !self.still
            && let Some(gif) = animation(&file.network, &found, self.gif_width).map_err(Failure::could_not)?
        {
            files.push(write(&folder.join("circuit.gif"), &gif)?);
            say(format!("{:<22}{FAINT}The circuit moving.{FAINT:#}\n", "circuit.gif"));
        }
        say(format!("{}\n", folder.display()));
        if self.json {
            print_made(Some(&self.path), &found, &files).map_err(Failure::could_not)?;
        }
        Ok(())
    }
}
