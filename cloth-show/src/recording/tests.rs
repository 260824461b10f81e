//! Recordings are unpacked as the player does it, by code that shares nothing with the packer.

use std::io::Read;

use cloth_solver::{Collider, Shape, StageTimes};
use flate2::read::ZlibDecoder;
use nalgebra::{Isometry3, Point3, Vector3};

use super::{Layout, RecordedState, Recorder, Recording, packer::STEP};
use crate::Direction;
use crate::report::CutFigures;

/// A state that was unpacked: coordinates (m), poses, and the faces that intersect.
#[derive(Debug, PartialEq)]
struct Unpacked {
    points: Vec<[f64; 3]>,
    poses: Vec<f32>,
    faces: Vec<usize>,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let (head, rest) = self.0.split_at(count);
        self.0 = rest;
        head.to_vec()
    }

    /// Numbers of several bytes that stand in planes.
    fn numbers(&mut self, count: usize, bytes: usize) -> Vec<u32> {
        let mut numbers = vec![0; count];
        for plane in 0..bytes {
            let own = self.bytes(count);
            numbers.iter_mut().zip(own).for_each(|(number, byte)| *number |= u32::from(byte) << (8 * plane));
        }
        numbers
    }
}

/// The corners of all faces, and all states.
fn unpack(recording: &Recording) -> (Vec<u32>, Vec<Unpacked>) {
    let mut all = Vec::new();
    ZlibDecoder::new(&recording.data[..]).read_to_end(&mut all).expect("a zlib stream");
    let mut reader = Reader(&all);
    let [cloth, surface] = recording.faces;
    let mut last = 0_u32;
    let corners = reader.numbers(3 * (cloth + surface), 4).into_iter().map(|difference| {
        last = last.wrapping_add(difference);
        last
    });
    let corners = corners.collect();
    let count = recording.layout.vertices + recording.surface_vertices;
    let (mut steps, mut before) = (vec![0_i64; 3 * count], vec![0_i64; 3 * count]);
    let mut poses = vec![0_u32; 7 * recording.layout.colliders.len()];
    let mut marks = vec![0_u8; cloth.div_ceil(8)];
    let mut states = Vec::new();
    for state in 0..recording.frames.len() {
        if state == 0 {
            steps = reader.numbers(3 * count, 4).into_iter().map(|step| i64::from(step as i32)).collect();
            before.clone_from(&steps);
        } else {
            let order = reader.bytes(1)[0];
            let is_whole = order == 3;
            if is_whole {
                steps = reader.numbers(3 * count, 4).into_iter().map(|step| i64::from(step as i32)).collect();
                before.clone_from(&steps);
            }
            let residuals = if is_whole { Vec::new() } else { reader.numbers(3 * count, 2) };
            for (k, zigzag) in residuals.into_iter().enumerate() {
                let residual =
                    if zigzag % 2 == 0 { i64::from(zigzag / 2) } else { -i64::from(zigzag / 2) - 1 };
                let displacement = if order == 2 { steps[k] - before[k] } else { 0 };
                before[k] = steps[k];
                steps[k] += displacement + residual;
            }
        }
        let changed = reader.numbers(poses.len(), 4);
        poses.iter_mut().zip(changed).for_each(|(bits, changed)| *bits ^= changed);
        let changed = reader.bytes(marks.len());
        marks.iter_mut().zip(changed).for_each(|(bits, changed)| *bits ^= changed);
        states.push(Unpacked {
            points: (0..count)
                .map(|v| [v, v + count, v + 2 * count].map(|k| steps[k] as f64 * STEP))
                .collect(),
            poses: poses.iter().map(|&bits| f32::from_bits(bits)).collect(),
            faces: (0..cloth).filter(|f| marks[f / 8] >> (f % 8) & 1 == 1).collect(),
        });
    }
    assert!(reader.0.is_empty(), "{} bytes are left", reader.0.len());
    (corners, states)
}

const CLOTH: [[u32; 3]; 9] =
    [[0, 1, 2], [2, 1, 3], [0, 3, 2], [0, 1, 3], [1, 2, 3], [3, 2, 1], [0, 2, 1], [3, 1, 0], [2, 3, 0]];
const SURFACE: [[u32; 3]; 1] = [[2, 0, 1]];

fn ball(x: f32) -> Collider {
    Collider::new(Shape::Sphere { radius: 0.1 }, Isometry3::translation(x, 1.0, 0.0), 0.0).expect("a ball")
}

/// Records four vertices of cloth that go where `place` says, and three of a body, at 60 frames a second.
fn record(frames: usize, place: impl Fn(usize, usize) -> Point3<f32>) -> Recording {
    let layout = Layout::new([[4, 9]], &[ball(0.0)], Direction::default(), 1.0 / 60.0, frames);
    let mut recorder = Recorder::new(layout, &CLOTH, &SURFACE);
    let cuts = [CutFigures { frame: 21, ..CutFigures::default() }];
    for frame in 0..=frames {
        let cloths: Vec<Point3<f32>> = (0..4).map(|v| place(frame, v)).collect();
        let colliders = [ball(0.01 * frame as f32)];
        let state = RecordedState {
            time: frame as f64 / 60.0,
            cloths: &cloths,
            surfaces: &cloths[..3],
            colliders: &colliders,
            intersections: frame as u64,
            intersecting_faces: if frame % 4 == 0 { &[0, 8, 9] } else { &[3] },
            cuts: if frame > 20 { &cuts } else { &[] },
        };
        recorder.record(&state, (frame > 0).then_some(&StageTimes::default()));
    }
    recorder.finish("a test")
}

fn error(unpacked: &[f64; 3], point: &Point3<f32>) -> f64 {
    (0..3).map(|k| (unpacked[k] - f64::from(point[k])).abs()).fold(0.0, f64::max)
}

#[test]
fn every_state_is_unpacked_within_a_tenth_of_a_millimetre() {
    let place = |frame: usize, v: usize| {
        let (t, v) = (frame as f32 / 60.0, v as f32);
        Point3::new(v - 4.9 * t * t, (7.0 * t + v).sin(), if frame > 20 { -30.0 } else { 0.3 * v })
    };
    let recording = record(61, place);
    let (corners, states) = unpack(&recording);
    assert_eq!(corners, [CLOTH.as_flattened(), SURFACE.as_flattened()].concat());
    assert_eq!(recording.frames, (0..=60).step_by(2).chain([61]).collect::<Vec<_>>());
    assert_eq!((recording.intersections.len(), recording.stage_ms.len()), (62, 61));
    assert_eq!(recording.cuts.iter().map(|cut| cut.frame).collect::<Vec<_>>(), [21]);
    for (state, &frame) in states.iter().zip(&recording.frames) {
        assert_eq!(state.poses[..2], [0.01 * frame as f32, 1.0], "{frame}");
        assert_eq!(state.faces, if frame % 4 == 0 { &[0, 8][..] } else { &[3] }, "{frame}");
        for (v, point) in state.points.iter().enumerate() {
            let vertex = if v < 4 { v } else { v - 4 };
            let error = error(point, &place(frame, vertex));
            assert!(error <= 1.0001e-4, "frame {frame}, vertex {v}: {error}");
        }
    }
}

#[test]
fn what_is_not_finite_or_far_away_is_packed() {
    let recording = record(8, |frame, v| {
        let all = [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX];
        Point3::from(Vector3::repeat(all[(frame + v) % 4]))
    });
    assert_eq!(unpack(&recording).1.len(), 5);
}

#[test]
fn cloth_at_rest_costs_next_to_nothing() {
    let at_rest = record(600, |_, v| Point3::new(v as f32, 1.0, 0.0));
    let moving =
        record(600, |frame, v| Point3::new(v as f32, ((frame * frame * 7919) % 1000) as f32 * 1e-3, 0.0));
    assert!(
        at_rest.data.len() < 1500 && moving.data.len() > 2 * at_rest.data.len(),
        "{}",
        at_rest.data.len()
    );
}
