//! Small drawings in text.

use ketbra::interpret::Interpretation;
use ketbra::spectrum::Spectrum;

/// Rows and columns of the complex plane; characters are about twice as high as wide.
const PLANE: (usize, usize) = (13, 27);
/// Half the side of the plane that is drawn; what lies outside is drawn at its edge.
const REACH: f64 = 1.02;
/// Lags that fit on a line.
const MOST_LAGS: usize = 16;

/// Eigenvalues on the complex plane: `o` found, `x` expected and not found there, `.` the unit circle.
pub fn spectrum(spectrum: &Spectrum) -> String {
    let (rows, columns) = PLANE;
    let mut plane = vec![vec![' '; columns]; rows];
    let mut put = |re: f64, im: f64, mark: char| {
        let place =
            |x: f64, size: usize| (((x.clamp(-REACH, REACH) / REACH + 1.0) / 2.0) * (size - 1) as f64).round() as usize;
        plane[place(-im, rows)][place(re, columns)] = mark;
    };
    for step in 0..120 {
        let angle = std::f64::consts::TAU * f64::from(step) / 120.0;
        put(angle.cos(), angle.sin(), '.');
    }
    spectrum.theory.iter().for_each(|[re, im]| put(*re, *im, 'x'));
    spectrum.eigenvalues.iter().for_each(|[re, im]| put(*re, *im, 'o'));
    let lines = plane.into_iter().map(|row| format!("    {}\n", row.into_iter().collect::<String>().trim_end()));
    lines.collect()
}

/// The circuit as a table: which past component each output copies, and with which sign.
pub fn recurrence(found: &Interpretation) -> String {
    let (lags, d) = (found.task.s, found.readings.len());
    if lags > MOST_LAGS || d > MOST_LAGS {
        return found.recurrence_in_words.iter().map(|line| format!("  {line}\n")).collect();
    }
    let header: String = (1..=lags).map(|lag| format!("{:>6}", format!("t-{lag}"))).collect();
    let row = |reading: &ketbra::recurrence::Reading| {
        let cell = |lag: usize| match (reading.stated, reading.step.lag == lag) {
            (true, true) => {
                format!(
                    "{:>6}",
                    format!("{}u{}", if reading.step.sign < 0 { '-' } else { '+' }, reading.step.component)
                )
            }
            (false, _) => format!("{:>6}", '?'),
            _ => format!("{:>6}", '.'),
        };
        format!("  u{:<3} ={}\n", reading.step.output, (1..=lags).map(cell).collect::<String>())
    };
    format!("        {header}\n{}", found.readings.iter().map(row).collect::<String>())
}
