//! The rows of a query file: exact coordinates, eight corners a query, and a label that all eight rows
//! repeat.

use std::path::Path;

use nalgebra::Point3;

use super::rational::exact_quotient;
use super::{MovingPair, QueryFile};
use crate::error::quoted;
use crate::{FileError, read_file};

/// Corners of a query, and so its rows: four at the start, four at the end.
const ROWS: usize = 8;

/// Columns of the coordinates; one more where the rows carry the label.
const COORDINATES: usize = 6;

/// Reads a query file.
///
/// # Errors
/// If the file cannot be read, or as [`parse_queries`].
pub fn read_queries(path: &Path) -> Result<QueryFile, FileError> {
    let bytes = read_file(path)?;
    parse_queries(path, &bytes)
}

/// Reads the bytes of a query file; `path` only names it in errors. There is no header; lines end in LF or
/// CRLF.
///
/// # Errors
/// If there is no row, a row has not 6 or 7 columns or another number than the first, the rows are no
/// multiple of eight, a coordinate is not exactly an `f64`, a label is neither 0 nor 1, or the rows of one
/// query disagree about it. The error names the row, counted from 1, and where one is to blame the column.
pub fn parse_queries(path: &Path, bytes: &[u8]) -> Result<QueryFile, FileError> {
    let rows = lines(bytes);
    let columns = rows.first().map_or(0, |row| row.split(|&b| b == b',').count());
    check_shape(rows.len(), columns).map_err(|text| FileError::new(path, text))?;
    let mut queries = Vec::with_capacity(rows.len() / ROWS);
    let mut labels = Vec::new();
    for (query, eight) in rows.chunks_exact(ROWS).enumerate() {
        let first_row = query * ROWS + 1;
        let mut corners = [Point3::origin(); ROWS];
        let mut label = None;
        for (i, row) in eight.iter().enumerate() {
            let refused = |text: String| FileError::at_line(path, first_row + i, text);
            let cells = cells(row, columns).map_err(refused)?;
            corners[i] = corner(&cells).map_err(refused)?;
            let own = cells.get(COORDINATES).map(|word| one_label(word)).transpose().map_err(refused)?;
            if i > 0 && own != label {
                return Err(refused(disagreement(own, first_row)));
            }
            label = own;
        }
        labels.extend(label);
        let [a, b, c, d, e, f, g, h] = corners;
        queries.push(MovingPair { t0: [a, b, c, d], t1: [e, f, g, h] });
    }
    Ok(QueryFile { queries, labels: (columns > COORDINATES).then_some(labels) })
}

/// The lines, without their ends; blank lines are dropped at the end of the file alone, so that rows keep
/// their numbers.
pub(super) fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> =
        bytes.split(|&b| b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l)).collect();
    while lines.last().is_some_and(|line| line.iter().all(u8::is_ascii_whitespace)) {
        lines.pop();
    }
    lines
}

fn check_shape(rows: usize, columns: usize) -> Result<(), String> {
    if rows == 0 {
        return Err("holds no row; a query is 8 rows of n,d,n,d,n,d".to_owned());
    }
    if columns != COORDINATES && columns != COORDINATES + 1 {
        let text = format!(
            "has {columns} columns in its first row; a query file has 6, or 7 with labels, and no header"
        );
        return Err(text);
    }
    if !rows.is_multiple_of(ROWS) {
        let text = format!("has {rows} rows, which is not a multiple of 8; is it truncated?");
        return Err(text);
    }
    Ok(())
}

/// The words of a row, without blanks around them.
fn cells(row: &[u8], columns: usize) -> Result<Vec<&str>, String> {
    let text =
        std::str::from_utf8(row).map_err(|_| "is not text; write numbers and commas alone".to_owned())?;
    let cells: Vec<&str> = text.split(',').map(|word| word.trim_matches([' ', '\t'])).collect();
    if cells.len() == columns {
        Ok(cells)
    } else {
        Err(format!("has {} columns, but the first row has {columns}", cells.len()))
    }
}

/// The point of a row.
fn corner(cells: &[&str]) -> Result<Point3<f64>, String> {
    let mut point = Point3::origin();
    for axis in 0..3 {
        let [n, d] = [cells[2 * axis], cells[2 * axis + 1]];
        point[axis] = exact_quotient(n, d).map_err(|e| {
            format!("columns {} and {}: {} over {}: {e}", 2 * axis + 1, 2 * axis + 2, quoted(n), quoted(d))
        })?;
    }
    Ok(point)
}

/// 0 or 1.
fn one_label(word: &str) -> Result<bool, String> {
    match word {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("column 7: the label {} is neither 0 nor 1", quoted(word))),
    }
}

fn disagreement(label: Option<bool>, first_row: usize) -> String {
    format!(
        "column 7: the label is {}, but it is another in the row before; rows {first_row} to {} are one \
         query and have one label",
        u8::from(label == Some(true)),
        first_row + ROWS - 1
    )
}
