//! From states to bytes.
//!
//! The stream is compressed by zlib. Numbers of several bytes stand in planes: first the lowest bytes of all
//! of them, then the next ones. In this order:
//!
//! * the corners of all faces, as `u32` differences to the corner before, cloths first;
//! * the first state: coordinates in steps of [`STEP`] as `i32`, all x, all y, all z;
//! * each further state: a byte, then `i16` residuals in zigzag order (0, -1, 1, -2, ...), all x, all y, all
//!   z. The byte 1 predicts the place before, 2 that with the same displacement once more. The byte 3 is
//!   followed by coordinates as in the first state, and so it is where a residual would not fit: more than
//!   6.5 m in one state, as after a cut.
//!
//! In every state the coordinates are followed by the poses of the colliders, seven `f32` each, their bits
//! combined by exclusive or with those before, and by a bit for each face of cloth that says whether it
//! intersects, in the same way.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};
use nalgebra::Point3;

use super::RecordedState;
use super::layout::pose_numbers;

/// A step of a coordinate (m): half of it is the error.
pub(super) const STEP: f64 = 2e-4;

/// The faces of a recording.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedFaces<'a> {
    pub(super) cloth: &'a [[u32; 3]],
    pub(super) surface: &'a [[u32; 3]],
}

/// A state in the numbers that are packed.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Coordinates in steps: all x, all y, all z.
    steps: Vec<i32>,
    /// The bits of the poses.
    poses: Vec<u32>,
    intersecting: Vec<u32>,
}

impl State {
    pub(super) fn new(state: &RecordedState<'_>) -> Self {
        let points = || state.cloths.iter().chain(state.surfaces);
        // What is not finite becomes the nearest number: a run ends with such a state.
        let coordinates = |axis: usize| points().map(move |p: &Point3<f32>| steps(p[axis]));
        let poses = state.colliders.iter().flat_map(|collider| pose_numbers(&collider.pose_t1));
        Self {
            steps: (0..3).flat_map(coordinates).collect(),
            poses: poses.map(f32::to_bits).collect(),
            intersecting: state.intersecting_faces.to_vec(),
        }
    }
}

fn steps(coordinate: f32) -> i32 {
    (f64::from(coordinate) / STEP).round() as i32
}

/// Packs states one after another.
#[derive(Debug)]
pub(super) struct Packer {
    stream: ZlibEncoder<Vec<u8>>,
    cloth_faces: usize,
    /// The two states before, as they are unpacked; the later one first.
    before: [Vec<i32>; 2],
    poses: Vec<u32>,
    intersecting: Vec<u8>,
    is_started: bool,
}

impl Packer {
    pub(super) fn new(faces: PackedFaces<'_>) -> Self {
        let mut packer = Self {
            stream: ZlibEncoder::new(Vec::new(), Compression::new(7)),
            cloth_faces: faces.cloth.len(),
            before: [Vec::new(), Vec::new()],
            poses: Vec::new(),
            intersecting: vec![0; faces.cloth.len().div_ceil(8)],
            is_started: false,
        };
        let mut last = 0;
        let corners = faces.cloth.iter().chain(faces.surface).flatten().map(|&corner| {
            let difference = corner.wrapping_sub(last);
            last = corner;
            difference.to_le_bytes()
        });
        packer.write_planes(&corners.collect::<Vec<_>>());
        packer
    }

    /// Appends a state; all have as many numbers as the first.
    pub(super) fn push(&mut self, state: &State) {
        if self.is_started {
            self.push_residuals(&state.steps);
        } else {
            self.push_steps(&state.steps);
            self.poses = vec![0; state.poses.len()];
            self.is_started = true;
        }
        let changed = state.poses.iter().zip(&self.poses).map(|(now, before)| (now ^ before).to_le_bytes());
        self.write_planes(&changed.collect::<Vec<_>>());
        self.poses.clone_from(&state.poses);
        let mut bits = vec![0_u8; self.intersecting.len()];
        for face in state.intersecting.iter().map(|&face| face as usize).filter(|&f| f < self.cloth_faces) {
            bits[face / 8] |= 1 << (face % 8);
        }
        let changed: Vec<u8> =
            bits.iter().zip(&self.intersecting).map(|(now, before)| now ^ before).collect();
        self.write(&changed);
        self.intersecting = bits;
    }

    /// The bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        // Writing to memory does not fail.
        self.stream.finish().unwrap_or_default()
    }

    /// Appends coordinates as they are.
    fn push_steps(&mut self, steps: &[i32]) {
        let bytes: Vec<[u8; 4]> = steps.iter().map(|step| step.to_le_bytes()).collect();
        self.write_planes(&bytes);
        self.before = [steps.to_vec(), steps.to_vec()];
    }

    fn push_residuals(&mut self, steps: &[i32]) {
        let [last, earlier] = &self.before;
        let residuals = |order: u8| {
            let each = steps.iter().zip(last).zip(earlier);
            each.map(move |((&now, &a), &b)| i64::from(now) - i64::from(predict(order, a, b)))
        };
        let size = |order: u8| residuals(order).map(i64::unsigned_abs).sum::<u64>();
        let order = if size(2) < size(1) { 2 } else { 1 };
        let zigzags = residuals(order).map(|residual| {
            let residual = i16::try_from(residual).ok()?;
            Some(((residual << 1) ^ (residual >> 15)).to_le_bytes())
        });
        if let Some(zigzags) = zigzags.collect::<Option<Vec<[u8; 2]>>>() {
            self.before.swap(0, 1);
            self.before[0] = steps.to_vec();
            self.write(&[order]);
            self.write_planes(&zigzags);
        } else {
            self.write(&[3]);
            self.push_steps(steps);
        }
    }

    /// The lowest bytes of all numbers, then the next ones.
    fn write_planes<const N: usize>(&mut self, numbers: &[[u8; N]]) {
        for plane in 0..N {
            let bytes: Vec<u8> = numbers.iter().map(|number| number[plane]).collect();
            self.write(&bytes);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        // Writing to memory does not fail.
        let _ = self.stream.write_all(bytes);
    }
}

/// The place after `a` that is expected, where `b` was before it.
fn predict(order: u8, a: i32, b: i32) -> i32 {
    if order == 2 { a.wrapping_add(a.wrapping_sub(b)) } else { a }
}
