//! Pictures that a person names with an option.

use crate::failure::Failure;
use crate::subject::write;
use ketbra::report::figures::Picture;
use std::path::Path;

/// Dots per inch of a PNG file.
const DOTS_PER_INCH: f64 = 300.0;

/// What a picture is written as.
#[derive(Clone, Copy)]
pub enum Format {
    Svg,
    Png,
}

impl Format {
    /// By the ending of the file that an option names.
    pub fn of(option: &str, path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::bad_input(format!("{option} is {}, but must end in .svg or .png", path.display()))),
        }
    }

    /// Writes a picture.
    pub fn write(self, path: &Path, picture: &Picture) -> Result<(), Failure> {
        let bytes = match self {
            Self::Svg => picture.svg().into_bytes(),
            Self::Png => picture.png(DOTS_PER_INCH)?,
        };
        write(path, &bytes).map(drop)
    }
}
