//! Reads an MDD cache: the head at once and checked against the length of the file, frames on demand.

use std::{io::Read, path::Path};

use nalgebra::Point3;

use crate::{FileError, frame_bytes::StoredFrames, input};

/// Bytes of the two counts.
const COUNTS: u64 = 8;

/// Times may be off their even places by this part of a frame. Times are `f32`: after an hour of 60 frames a
/// second they are off by 0.007 of a frame.
const UNEVEN: f64 = 0.01;

/// An open cache.
#[derive(Debug)]
pub struct MddReader {
    frames: StoredFrames,
    times: Vec<f32>,
}

impl MddReader {
    /// Opens a cache and checks that it holds as many frames as it says.
    ///
    /// # Errors
    /// If the file cannot be read, says that it has no points, or has not the length that its counts imply.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut file = input::open(path)?;
        let length = input::length(&mut file).map_err(|e| FileError::io(path, "open", &e))?;
        let mut counts = [0; COUNTS as usize];
        file.read_exact(&mut counts).map_err(|_| FileError::new(path, "is too short for an MDD cache"))?;
        let [a, b, c, d, e, f, g, h] = counts;
        let [frames, points] = [[a, b, c, d], [e, f, g, h]].map(i32::from_be_bytes);
        let (Ok(count), Ok(points @ 1..)) = (usize::try_from(frames), usize::try_from(points)) else {
            let text = format!("says it holds {frames} frames of {points} points; is it an MDD cache?");
            return Err(FileError::new(path, text));
        };
        // All factors are below 2^31, so this stays below 2^67: wider than u64.
        let promised = u128::from(COUNTS) + count as u128 * (4 + 12 * points as u128);
        if promised != u128::from(length) {
            let text = format!(
                "holds {length} bytes, but {count} frames of {points} points take {promised}; is it a whole \
                 MDD cache?"
            );
            return Err(FileError::new(path, text));
        }
        let head = 4 * count as u64;
        input::check_size(path, head)?;
        let mut bytes = vec![0; head as usize];
        file.read_exact(&mut bytes).map_err(|e| FileError::io(path, "read", &e))?;
        let times = bytes.chunks_exact(4).map(number).collect();
        Ok(Self { frames: StoredFrames::new(path, file, COUNTS + head, [count, points], 4), times })
    }

    /// How many points each frame has, at least 1.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.frames.points
    }

    /// The time (s) of each frame, as the file has them: they may be anything.
    #[must_use]
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// Frames a second (Hz): the number with the fewest decimal places that leads to the last time from the
    /// first, as far as `f32` can say. `None` for fewer than two frames, and where times are not evenly
    /// spaced: one of them is off its place by more than a hundredth of a frame.
    #[must_use]
    pub fn frames_per_second(&self) -> Option<f64> {
        let (&[first, ..], &[.., last]) = (&self.times[..], &self.times[..]) else { return None };
        let (first, span) = (f64::from(first), f64::from(last) - f64::from(first));
        let intervals = (self.times.len() - 1) as f64;
        let measured = intervals / span;
        let place = |k: usize| (f64::from(self.times[k]) - first) * measured;
        let is_even = |k: usize| (place(k) - k as f64).abs() <= UNEVEN;
        if !(measured > 0.0 && (0..self.times.len()).all(is_even)) {
            return None;
        }
        // Each of the two ends is off by half of its last place at most.
        let rounding = f64::from(f32::EPSILON) * f64::from(last).abs().max(first.abs());
        let rounded = |unit: f64| (measured * unit).round() / unit;
        let mut rates = (0..9).map(|places| rounded(10f64.powi(places))).chain([measured]);
        rates.find(|&rate| rate == measured || (intervals / rate - span).abs() <= rounding)
    }

    /// Reads frame `frame`, counted from 0, into `positions` (m), whose memory is reused.
    ///
    /// # Errors
    /// If there is no such frame, the file cannot be read, or a coordinate is not finite.
    pub fn read_frame(&mut self, frame: usize, positions: &mut Vec<Point3<f32>>) -> Result<(), FileError> {
        self.frames.read(frame, positions, number)
    }
}

/// The number of four bytes.
fn number(bytes: &[u8]) -> f32 {
    bytes.try_into().map_or(f32::NAN, f32::from_be_bytes)
}
