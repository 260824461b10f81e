//! The header of an array: its kind of numbers and its shape.
//!
//! ```text
//! \x93NUMPY  version  length  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  numbers
//! ```
//!
//! The format is that of `numpy.lib.format`. A header is a Python literal with these three keys, and nothing
//! of Python is needed to read it.

use std::io::Read;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// No header of numbers is longer: the format pads to 64 bytes, and a shape has at most 32 dimensions.
const MAX_LENGTH: usize = 1 << 16;

const INVALID: &str = "has no valid header of an array; save it by numpy.save or numpy.savez";

/// Bytes of every header that is written: there is room for any shape, and the numbers are aligned.
pub(super) const WRITTEN: usize = 128;

/// What an array says of itself.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Such as `<f4`: byte order, kind and size.
    descr: String,
    /// The kind of number: `f`, `i` or `u`; others are not read.
    pub(super) kind: char,
    /// Bytes of a number.
    pub(super) size: usize,
    pub(super) is_big_endian: bool,
    pub(super) is_fortran: bool,
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// Reads a header; also how many bytes it takes. The error completes "array `name`: ...".
    pub(super) fn read(from: &mut impl Read) -> Result<(Self, u64), String> {
        let mut take = |count: usize| {
            let mut bytes = vec![0; count];
            from.read_exact(&mut bytes).map(|()| bytes).map_err(|_| INVALID.to_owned())
        };
        let start = take(MAGIC.len() + 2)?;
        if !start.starts_with(MAGIC) {
            return Err(INVALID.into());
        }
        let (length, before) = match (start[MAGIC.len()], take(2)?.as_slice()) {
            (1, &[a, b]) => (usize::from(u16::from_le_bytes([a, b])), 10),
            (2 | 3, &[a, b]) => match *take(2)?.as_slice() {
                [c, d] => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
                _ => return Err(INVALID.into()),
            },
            _ => return Err(INVALID.into()),
        };
        if length > MAX_LENGTH {
            return Err(INVALID.into());
        }
        let bytes = take(length)?;
        let header = std::str::from_utf8(&bytes).ok().and_then(parse_dictionary).ok_or(INVALID)?;
        Ok((header, before + length as u64))
    }

    /// The bytes of a header of version 1.0 of numbers in the order of C, such as `<f4`; all have one length.
    pub(super) fn bytes(descr: &str, shape: &[usize]) -> [u8; WRITTEN] {
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        let text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", shape.join(", "));
        let mut bytes = [b' '; WRITTEN];
        bytes[..6].copy_from_slice(MAGIC);
        bytes[6..10].copy_from_slice(&[1, 0, (WRITTEN - 10) as u8, 0]);
        bytes[10..10 + text.len()].copy_from_slice(text.as_bytes());
        bytes[WRITTEN - 1] = b'\n';
        bytes
    }

    /// How many bytes the numbers take.
    pub(super) fn promised(&self) -> Result<u64, String> {
        let bytes = self.shape.iter().try_fold(self.size as u64, |all, &n| all.checked_mul(n as u64));
        bytes.ok_or_else(|| "its shape is beyond all memory; save it again".to_owned())
    }

    /// Whether it is of positions, of one state or of many: floats, v x 3 or f x v x 3.
    pub(super) fn is_states(&self) -> bool {
        self.kind == 'f' && matches!(self.size, 2 | 4 | 8) && matches!(*self.shape, [_, 3] | [_, _, 3])
    }

    /// Whether it is of faces: integers, n x 3.
    pub(super) fn is_faces(&self) -> bool {
        let is_integers = matches!(self.kind, 'i' | 'u') && matches!(self.size, 1 | 2 | 4 | 8);
        is_integers && matches!(*self.shape, [_, 3])
    }

    pub(super) fn is_half(&self) -> bool {
        self.kind == 'f' && self.size == 2
    }

    /// Kind and shape.
    pub(super) fn in_words(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        format!("{}, {}", self.descr, if shape.is_empty() { "one".into() } else { shape.join(" x ") })
    }
}

fn parse_dictionary(text: &str) -> Option<Header> {
    let value = |key: &str| text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    // Of records it is a list; they are described, and never read.
    let descr = match value("descr")?.strip_prefix('\'') {
        Some(rest) => rest.split_once('\'')?.0,
        None => "records",
    };
    let mut letters = descr.chars();
    let is_big_endian = letters.next()? == '>';
    let kind = letters.next()?;
    let shape = value("shape")?.strip_prefix('(')?.split_once(')')?.0;
    let shape = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
    Some(Header {
        descr: descr.chars().take(20).collect(),
        kind,
        size: letters.as_str().parse().unwrap_or(0),
        is_big_endian,
        is_fortran: value("fortran_order")?.starts_with("True"),
        shape: shape.map(|n| n.parse().ok()).collect::<Option<_>>()?,
    })
}
