//! Corners as vectors of integers over one power of two.

use cloth_geom::exact::decompose;
use dashu_int::IBig;
use nalgebra::Point3;

use super::form::LinearForm;
use crate::Query;

/// The corners of a query, in its order, at the start and at the end.
pub(super) struct IntegerCorners(Vec<[[IBig; 3]; 2]>);

impl IntegerCorners {
    pub(super) fn new(query: &Query) -> Self {
        let all = query.start().iter().chain(query.end()).flat_map(|p| p.iter().copied());
        let nonzero = all.filter(|&value| value != 0.0).map(decompose);
        let least = nonzero.map(|(_, exponent)| exponent).min().unwrap_or(0);
        let integer = |value: f64| match decompose(value) {
            (0, _) => IBig::ZERO,
            (mantissa, exponent) => IBig::from(mantissa) << (exponent - least) as usize,
        };
        let point = |p: &Point3<f64>| [integer(p.x), integer(p.y), integer(p.z)];
        Self(query.start().iter().zip(query.end()).map(|(a, b)| [point(a), point(b)]).collect())
    }

    /// From one corner to another.
    pub(super) fn span(&self, a: usize, b: usize) -> LinearForm {
        [0, 1].map(|end| [0, 1, 2].map(|k| &self.0[b][end][k] - &self.0[a][end][k]))
    }
}
