//! Queries whose verdict and time are known on paper, without any method.

mod crossings;
mod flat;
mod roots;
mod still;

use nalgebra::Point3;

use super::oracle::{Agreement, Expected};
use super::placement::by_units;
use super::symmetry::{all_images, degenerate_forms};
use crate::{Ccd, Query};

pub(super) use crossings::{at_the_ends, beside_borders, enormous};
pub(super) use flat::in_a_plane;
pub(super) use roots::{of_three_roots, of_two_roots};
pub(super) use still::still;

/// A query and its answer.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) query: Query,
    pub(super) expected: Expected,
}

impl Known {
    fn new(name: impl Into<String>, query: Query, expected: Expected) -> Self {
        Self { name: name.into(), query, expected }
    }
}

const MISS: Expected = Expected(None);

/// A hit at exactly this time.
fn at(time: f64) -> Expected {
    Expected(Some([time, time]))
}

/// A hit whose time was computed by at most four roundings of a relative 2^-53 each, all in one direction at
/// worst, from numbers that do not cancel: at most 4 units in the last place away, or 8 if a power of two
/// lies between.
fn near(time: f64) -> Expected {
    Expected(Some([by_units(time, -8), by_units(time, 8)]))
}

fn at_if(holds: bool, time: f64) -> Expected {
    if holds { at(time) } else { MISS }
}

/// A value and its neighbours: by the last bits, by steps from 1e-300 to 1e-3.
fn ladder(value: f64) -> Vec<f64> {
    let steps = [1e-300, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3];
    let by_steps = steps.into_iter().flat_map(|step| [value + step, value - step]);
    let by_bits = [0, 1, -1, 2, -2].map(|places| by_units(value, places));
    by_bits.into_iter().chain(by_steps).collect()
}

fn points<const N: usize>(coordinates: [[f64; 3]; N]) -> [Point3<f64>; N] {
    coordinates.map(Point3::from)
}

/// Tests a method on known queries, their degenerate forms, and every `stride`-th of their images.
pub(super) fn check(method: &dyn Ccd, agreement: Agreement, known: Vec<Known>, stride: usize) {
    for (i, Known { name, query, expected }) in known.into_iter().enumerate() {
        if agreement == Agreement::OneSided && expected == MISS {
            continue;
        }
        let forms = degenerate_forms(&query).into_iter().chain([query]);
        for (k, form) in forms.enumerate() {
            for (n, image) in all_images(&form).into_iter().enumerate() {
                // The first is the query itself.
                if n > 0 && !(n + i + k).is_multiple_of(stride) {
                    continue;
                }
                let expected = if image.same_times { expected } else { expected.at_any_time() };
                if let Err(complaint) = expected.check_answer(method, agreement, &image.query, 0.0) {
                    panic!("{name}, {}: {complaint}", image.how);
                }
            }
        }
    }
}
