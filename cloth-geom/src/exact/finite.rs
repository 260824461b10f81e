//! The check before the predicates: which coordinate is not finite, if any.

use nalgebra::Point3;
use thiserror::Error;

/// A coordinate that is NaN or infinite, for which no geometric verdict exists.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("point {point} has {axis} = {value}, which is not finite; remove the point or correct its \
         source", axis = ["x", "y", "z"][*.axis])]
pub struct NotFinite {
    /// Index of the point, in the order given.
    pub point: usize,
    /// 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// The coordinate (m).
    pub value: f64,
}

/// Checks that all coordinates are finite, so that every predicate of this module is exact on them.
///
/// # Errors
/// Names the first coordinate that is not finite.
pub fn check_finite<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Result<(), NotFinite> {
    for (point, p) in points.into_iter().enumerate() {
        if let Some(axis) = (0..3).find(|&axis| !p[axis].is_finite()) {
            return Err(NotFinite { point, axis, value: p[axis] });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_first_coordinate_that_is_not_finite() {
        let points = [Point3::origin(), Point3::new(0.0, f64::INFINITY, f64::NAN)];
        let error = check_finite(&points).unwrap_err();
        assert_eq!(error, NotFinite { point: 1, axis: 1, value: f64::INFINITY });
        assert!(error.to_string().contains("point 1 has y = inf"));
        assert_eq!(check_finite(&points[..1]), Ok(()));
    }
}
