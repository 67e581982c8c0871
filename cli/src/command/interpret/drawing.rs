//! Small drawings in text.

use ketbra::interpret::Interpretation;
use ketbra::spectrum::Spectrum;

/// Rows and columns of the complex plane; characters are about twice as high as wide.
const PLANE: (usize, usize) = (13, 27);
/// Half the side of the plane that is drawn; what lies outside is drawn at its edge.
const REACH: f64 = 1.02;
/// Lags that fit on a line.
const MOST_LAGS: usize = 16;

/// What the marks of the spectrum mean, beside its first rows.
const LEGEND: [&str; 4] = ["o one eigenvalue", "2-9, + so many at one place", "x expected, missing", ". unit circle"];

/// Eigenvalues on the complex plane: how many at a place, `x` in directions of which fewer were learned than expected, `.` the unit circle.
pub fn spectrum(spectrum: &Spectrum) -> String {
    let (rows, columns) = PLANE;
    let mut plane = vec![vec![' '; columns]; rows];
    let mut counts = vec![vec![0; columns]; rows];
    let place = |re: f64, im: f64| {
        let along =
            |x: f64, size: usize| (((x.clamp(-REACH, REACH) / REACH + 1.0) / 2.0) * (size - 1) as f64).round() as usize;
        (along(-im, rows), along(re, columns))
    };
    let mut put = |(row, column): (usize, usize), mark: char| plane[row][column] = mark;
    for step in 0..120 {
        let angle = std::f64::consts::TAU * f64::from(step) / 120.0;
        put(place(angle.cos(), angle.sin()), '.');
    }
    // By directions, as they are counted everywhere: an eigenvalue that is a little off lies at the place beside it.
    let missing = spectrum.directions.iter().filter(|direction| direction.found < direction.expected);
    missing.for_each(|direction| put(place(direction.angle.cos(), direction.angle.sin()), 'x'));
    for [re, im] in &spectrum.eigenvalues {
        let (row, column) = place(*re, *im);
        counts[row][column] += 1;
        let many = char::from_digit(counts[row][column], 10).unwrap_or('+');
        put((row, column), if counts[row][column] == 1 { 'o' } else { many });
    }
    let line = |(k, row): (usize, Vec<char>)| {
        let legend = LEGEND.get(k).copied().unwrap_or_default();
        let row: String = row.into_iter().collect();
        format!("{}\n", format!("    {row}    {legend}").trim_end())
    };
    plane.into_iter().enumerate().map(line).collect()
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
