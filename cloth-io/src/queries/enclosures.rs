//! Enclosures of the exact times of impact: between which two numbers each first contact lies.

use std::path::Path;

use super::rows::lines;
use crate::error::quoted;
use crate::{FileError, read_file};

/// The header of the file, and so its columns.
const HEADER: &str = "query,collides,toi_lo,toi_hi,always_coplanar";

/// What is known exactly about one query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// The two bounds, closed, of the earliest time of contact (share of the step); none if the pair never
    /// meets.
    pub times: Option<[f64; 2]>,
    /// Whether the four corners lie in one plane at all times, so that no root of a polynomial decides when
    /// they meet.
    pub always_coplanar: bool,
}

impl Enclosure {
    /// Whether the pair meets at all.
    #[must_use]
    pub fn collides(&self) -> bool {
        self.times.is_some()
    }
}

/// Reads the enclosures of a list of queries, in its order.
///
/// # Errors
/// If the file cannot be read, or as [`parse_enclosures`].
pub fn read_enclosures(path: &Path) -> Result<Vec<Enclosure>, FileError> {
    let bytes = read_file(path)?;
    parse_enclosures(path, &bytes)
}

/// Reads the bytes of a file of enclosures; `path` only names it in errors.
///
/// # Errors
/// If the header is another, a row has not five columns, queries are not numbered 0, 1, 2, ..., a flag is
/// neither 0 nor 1, or the bounds are not `0 <= toi_lo <= toi_hi <= 1` for a query that collides and empty
/// for one that does not. The error names the line.
pub fn parse_enclosures(path: &Path, bytes: &[u8]) -> Result<Vec<Enclosure>, FileError> {
    let lines = lines(bytes);
    if lines.first().is_none_or(|line| *line != HEADER.as_bytes()) {
        return Err(FileError::new(path, format!("does not start with the header {HEADER}")));
    }
    let rows = lines.iter().enumerate().skip(1);
    rows.map(|(i, row)| enclosure(row, i - 1).map_err(|text| FileError::at_line(path, i + 1, text))).collect()
}

fn enclosure(row: &[u8], number: usize) -> Result<Enclosure, String> {
    let text =
        std::str::from_utf8(row).map_err(|_| "is not text; write numbers and commas alone".to_owned())?;
    let cells: Vec<&str> = text.split(',').map(str::trim).collect();
    let [query, collides, low, high, coplanar] = cells[..] else {
        return Err(format!("has {} columns instead of 5", cells.len()));
    };
    if query.parse() != Ok(number) {
        return Err(format!(
            "found query {} instead of query {number}; keep the order of the queries",
            quoted(query)
        ));
    }
    let times = match (flag("collides", collides)?, low, high) {
        (false, "", "") => None,
        (false, ..) => {
            return Err("has times, but does not collide; leave toi_lo and toi_hi empty".to_owned());
        }
        (true, low, high) => Some(bounds(low, high)?),
    };
    Ok(Enclosure { times, always_coplanar: flag("always_coplanar", coplanar)? })
}

fn flag(column: &str, word: &str) -> Result<bool, String> {
    match word {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("{column} is {}; write 0 or 1", quoted(word))),
    }
}

/// Two times in order. They are written so that the nearest `f64` of the decimal is the one that is meant.
fn bounds(low: &str, high: &str) -> Result<[f64; 2], String> {
    let times = [low, high].map(|word| word.parse::<f64>().unwrap_or(f64::NAN));
    let sound = times.is_sorted() && times.iter().all(|time| (0.0..=1.0).contains(time));
    let refused = || {
        format!(
            "{} and {} are not bounds of a time; write 0 <= toi_lo <= toi_hi <= 1",
            quoted(low),
            quoted(high)
        )
    };
    if sound { Ok(times) } else { Err(refused()) }
}
