//! PC2 point caches, in and out: the positions of every vertex in every frame, as Blender reads and writes
//! them.
//!
//! ```text
//! "POINTCACHE2\0"  i32 version = 1  i32 points  f32 start frame  f32 sample rate  i32 samples   32 bytes f32
//! x, y, z of each point, sample after sample                                                12 bytes a point
//! ```
//!
//! All little-endian. Data sets have caches of half-precision numbers under the same header (`.pc16`): a file
//! of 6 bytes a point is one, and is read, its numbers widened exactly. Start frame and sample rate count
//! frames, not seconds: Blender reads sample `i` at frame `start + i * rate`. Neither the reader nor the
//! writer accepts a NaN.

mod reader;
mod writer;

pub use reader::Pc2Reader;
pub use writer::Pc2Writer;

use std::path::Path;

use nalgebra::Point3;

use crate::FileError;

const SIGNATURE: &[u8; 12] = b"POINTCACHE2\0";
const VERSION: i32 = 1;
const HEADER_BYTES: u64 = 32;
/// Where the header holds the number of samples, which grows with each.
const SAMPLES_AT: u64 = 28;

/// What a cache says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pc2Header {
    /// Points in each frame.
    pub points: usize,
    /// The frame number of the first sample.
    pub start: f32,
    /// Frames from one sample to the next.
    pub rate: f32,
    /// How many samples there are.
    pub samples: usize,
}

/// Refuses a frame with a coordinate that is not finite.
pub(crate) fn check_finite(path: &Path, sample: usize, frame: &[Point3<f32>]) -> Result<(), FileError> {
    match frame.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        None => Ok(()),
        Some(v) => Err(FileError::new(
            path,
            format!("frame {sample}: vertex {v} is not finite; the simulation broke there"),
        )),
    }
}
