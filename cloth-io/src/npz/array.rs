//! One array of an archive: its header, and its numbers where they are in the file.
//!
//! ```text
//! \x93NUMPY  version  length  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  numbers
//! ```
//!
//! The format is that of `numpy.lib.format`. A header is a Python literal with these three keys, and nothing
//! of Python is needed to read it.

use std::io::Read;

const MAGIC: &[u8] = b"\x93NUMPY";

/// No header of numbers is longer: the format pads to 64 bytes, and a shape has at most 32 dimensions.
const MAX_HEADER: usize = 1 << 16;

const INVALID: &str = "has no valid header of an array; save it by numpy.savez";

/// An array of numbers.
#[derive(Debug)]
pub(super) struct Array {
    header: ArrayHeader,
    /// In elements, for each dimension.
    strides: Vec<usize>,
    bytes: Vec<u8>,
    /// Where the numbers begin.
    start: usize,
}

/// What an array says of itself.
#[derive(Debug)]
struct ArrayHeader {
    /// Such as `<f4`: byte order, kind and size.
    descr: String,
    /// The kind of number: `f`, `i` or `u`; others are not read.
    kind: char,
    /// Bytes of a number.
    size: usize,
    is_big_endian: bool,
    is_fortran: bool,
    shape: Vec<usize>,
}

impl Array {
    /// Reads an array; the error completes "array `name`: ...".
    pub(super) fn parse(bytes: Vec<u8>) -> Result<Self, String> {
        let (header, start) = parse_header(&bytes)?;
        let count = header.shape.iter().try_fold(header.size, |all, &n| all.checked_mul(n));
        let (promised, found) =
            (count.ok_or("its shape is beyond all memory; save it again")?, bytes.len() - start);
        if matches!(header.kind, 'f' | 'i' | 'u') && promised != found {
            return Err(format!("holds {found} bytes, but its shape takes {promised}; save it again"));
        }
        let mut strides = vec![1; header.shape.len()];
        // What was promised is there, so that no product of these is beyond all numbers, unless one is 0.
        let next = |stride: usize, n: usize| stride.saturating_mul(n);
        if header.is_fortran {
            for k in 1..strides.len() {
                strides[k] = next(strides[k - 1], header.shape[k - 1]);
            }
        } else {
            for k in (1..strides.len()).rev() {
                strides[k - 1] = next(strides[k], header.shape[k]);
            }
        }
        Ok(Self { header, strides, bytes, start })
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Whether its numbers are of float32 or float64.
    pub(super) fn is_floats(&self) -> bool {
        self.header.kind == 'f' && matches!(self.header.size, 4 | 8)
    }

    /// Whether its numbers are integers of 8 to 64 bits.
    pub(super) fn is_integers(&self) -> bool {
        matches!(self.header.kind, 'i' | 'u') && matches!(self.header.size, 1 | 2 | 4 | 8)
    }

    /// A number of an array of floats.
    pub(super) fn number(&self, index: &[usize]) -> f64 {
        let bits = self.bits(index);
        if self.header.size == 4 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
    }

    /// A number of an array of integers.
    pub(super) fn integer(&self, index: &[usize]) -> i128 {
        let bits = self.bits(index);
        match (self.header.kind, self.header.size) {
            ('i', 1) => i128::from(bits as i8),
            ('i', 2) => i128::from(bits as i16),
            ('i', 4) => i128::from(bits as i32),
            ('i', _) => i128::from(bits as i64),
            _ => i128::from(bits),
        }
    }

    /// The bytes of a number, the least first.
    fn bits(&self, index: &[usize]) -> u64 {
        let size = self.header.size;
        let element: usize = index.iter().zip(&self.strides).map(|(i, stride)| i * stride).sum();
        let at = self.start + element * size;
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.bytes[at..at + size]);
        if self.header.is_big_endian {
            bytes[..size].reverse();
        }
        u64::from_le_bytes(bytes)
    }
}

/// Kind and shape of an array of which only the header is read.
pub(super) fn describe(entry: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    entry.take(MAX_HEADER as u64 + 12).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    let (header, _) = parse_header(&bytes)?;
    let shape: Vec<String> = header.shape.iter().map(usize::to_string).collect();
    Ok(format!("{}, {}", header.descr, if shape.is_empty() { "one".into() } else { shape.join(" x ") }))
}

/// The header, and where the numbers begin.
fn parse_header(bytes: &[u8]) -> Result<(ArrayHeader, usize), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(INVALID)?;
    let (length, start) = match *rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([a, b])), 10),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
        _ => return Err(INVALID.into()),
    };
    let text = bytes.get(start..start + length.min(MAX_HEADER)).filter(|_| length <= MAX_HEADER);
    let text = text.and_then(|text| str::from_utf8(text).ok()).ok_or(INVALID)?;
    Ok((parse_dictionary(text).ok_or(INVALID)?, start + length))
}

fn parse_dictionary(text: &str) -> Option<ArrayHeader> {
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
    Some(ArrayHeader {
        descr: descr.chars().take(20).collect(),
        kind,
        size: letters.as_str().parse().unwrap_or(0),
        is_big_endian,
        is_fortran: value("fortran_order")?.starts_with("True"),
        shape: shape.map(|n| n.parse().ok()).collect::<Option<_>>()?,
    })
}
