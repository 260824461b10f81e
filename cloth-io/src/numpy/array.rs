//! One array of a file: its numbers where they are in the file, or frames of it read as they are asked for.

use std::{
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use nalgebra::Point3;

use super::header::Header;
use crate::{
    FileError,
    half::widen_half,
    input::{self, Source},
    quoted,
};

/// An array of numbers.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) header: Header,
    /// In elements, for each dimension.
    strides: Vec<usize>,
    data: Data,
}

#[derive(Debug)]
enum Data {
    /// All of the numbers.
    Memory(Vec<u8>),
    /// The part of a file that has the numbers, frame after frame, and the memory for one of them.
    Frames { file: Source, start: u64, buffer: Vec<u8> },
}

/// What an array is called in errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayPlace<'a> {
    pub(super) path: &'a Path,
    /// None of a file that is one array.
    pub(super) name: Option<&'a str>,
}

impl ArrayPlace<'_> {
    pub(super) fn refuse(&self, text: impl AsRef<str>) -> FileError {
        let text = text.as_ref();
        match self.name {
            Some(name) => FileError::new(self.path, format!("array {}: {text}", quoted(name))),
            None => FileError::new(self.path, text),
        }
    }

    fn wrong_length(&self, found: u64, promised: u64) -> FileError {
        self.refuse(format!("holds {found} bytes, but its shape takes {promised}; save it again"))
    }
}

impl Array {
    /// An array that stands in `length` bytes of a file from `at` on. Frames are read when they are asked
    /// for; any other array is read now.
    pub(super) fn open(
        place: ArrayPlace<'_>,
        mut file: Source,
        [at, length]: [u64; 2],
    ) -> Result<Self, FileError> {
        let failed = |e| FileError::io(place.path, "read", &e);
        let whole = input::length(&mut file).map_err(failed)?;
        file.seek(SeekFrom::Start(at)).map_err(failed)?;
        let (header, start) = Header::read(&mut file).map_err(|text| place.refuse(text))?;
        let promised = header.promised().map_err(|text| place.refuse(text))?;
        let found = length.min(whole.saturating_sub(at)).saturating_sub(start);
        if promised != found {
            return Err(place.wrong_length(found, promised));
        }
        if header.shape.len() == 3 && !header.is_fortran {
            let data = Data::Frames { file, start: at + start, buffer: Vec::new() };
            return Ok(Self::new(header, data));
        }
        Self::read(place, header, file.take(promised))
    }

    /// An array that is read as it is unpacked, no farther than its shape says.
    pub(super) fn unpack(place: ArrayPlace<'_>, mut from: impl Read) -> Result<Self, FileError> {
        let (header, _) = Header::read(&mut from).map_err(|text| place.refuse(text))?;
        Self::read(place, header, from)
    }

    fn read(place: ArrayPlace<'_>, header: Header, from: impl Read) -> Result<Self, FileError> {
        let promised = header.promised().map_err(|text| place.refuse(text))?;
        input::check_size(place.path, promised)?;
        let mut bytes = Vec::new();
        from.take(promised.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|e| place.refuse(format!("cannot be unpacked: {e}; save it again")))?;
        if bytes.len() as u64 != promised {
            return Err(place.wrong_length(bytes.len() as u64, promised));
        }
        Ok(Self::new(header, Data::Memory(bytes)))
    }

    fn new(header: Header, data: Data) -> Self {
        let (shape, mut strides) = (&header.shape, vec![1; header.shape.len()]);
        // What was promised is there, so that no product of these is beyond all numbers, unless one is 0.
        let next = |stride: usize, n: usize| stride.saturating_mul(n);
        if header.is_fortran {
            for k in 1..strides.len() {
                strides[k] = next(strides[k - 1], shape[k - 1]);
            }
        } else {
            for k in (1..strides.len()).rev() {
                strides[k - 1] = next(strides[k], shape[k]);
            }
        }
        Self { header, strides, data }
    }

    /// Whether an array of positions has frames, be it one, rather than a state alone.
    pub(super) fn has_frames(&self) -> bool {
        self.header.shape.len() == 3
    }

    /// States of an array of positions.
    pub(super) fn state_count(&self) -> usize {
        if self.has_frames() { self.header.shape[0] } else { 1 }
    }

    /// Vertices of an array of positions.
    pub(super) fn vertex_count(&self) -> usize {
        self.header.shape[usize::from(self.has_frames())]
    }

    /// The positions of a state, counted from 0, which must be finite.
    pub(super) fn read_state(&mut self, path: &Path, state: usize) -> Result<Vec<Point3<f64>>, FileError> {
        let (states, vertices) = (self.state_count(), self.vertex_count());
        if state >= states {
            let text = format!("has no frame {state}, only {states}, counted from 0");
            return Err(FileError::new(path, text));
        }
        let [vertex, axis] = [2, 1].map(|back| self.strides[self.strides.len() - back]);
        let first = match &mut self.data {
            Data::Memory(_) => {
                if self.header.shape.len() == 3 {
                    state * self.strides[0]
                } else {
                    0
                }
            }
            Data::Frames { file, start, buffer } => {
                let size = (vertices * 3 * self.header.size) as u64;
                input::check_size(path, size)?;
                buffer.resize(size as usize, 0);
                file.seek(SeekFrom::Start(*start + state as u64 * size))
                    .and_then(|_| file.read_exact(buffer))
                    .map_err(|e| FileError::io(path, &format!("read frame {state}"), &e))?;
                0
            }
        };
        let at = |v: usize, k: usize| self.number(first + v * vertex + k * axis);
        let frame: Vec<_> = (0..vertices).map(|v| Point3::new(at(v, 0), at(v, 1), at(v, 2))).collect();
        match frame.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            None => Ok(frame),
            Some(v) if self.has_frames() => {
                let text = format!("frame {state}: vertex {v} is not finite; the simulation broke there");
                Err(FileError::new(path, text))
            }
            Some(v) => Err(FileError::new(path, format!("vertex {v} is not finite; correct it"))),
        }
    }

    /// The rows of an array of faces.
    pub(super) fn faces(&self) -> impl Iterator<Item = [i128; 3]> {
        let [face, corner] = [self.strides[0], self.strides[1]];
        (0..self.header.shape[0]).map(move |f| [0, 1, 2].map(|k| self.integer(f * face + k * corner)))
    }

    /// A number of an array of floats, by the place of its element in what is in memory.
    fn number(&self, element: usize) -> f64 {
        let bits = self.bits(element);
        match self.header.size {
            2 => f64::from(widen_half(bits as u16)),
            4 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// The same of an array of integers.
    fn integer(&self, element: usize) -> i128 {
        let bits = self.bits(element);
        match (self.header.kind, self.header.size) {
            ('i', 1) => i128::from(bits as i8),
            ('i', 2) => i128::from(bits as i16),
            ('i', 4) => i128::from(bits as i32),
            ('i', _) => i128::from(bits as i64),
            _ => i128::from(bits),
        }
    }

    /// The bytes of a number, the least first.
    fn bits(&self, element: usize) -> u64 {
        let (size, at) = (self.header.size, element * self.header.size);
        let (Data::Memory(all) | Data::Frames { buffer: all, .. }) = &self.data;
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&all[at..at + size]);
        if self.header.is_big_endian {
            bytes[..size].reverse();
        }
        u64::from_le_bytes(bytes)
    }
}
