//! A validated set of boxes.
//!
//! A broad phase that receives a NaN or an inverted box would lose pairs silently. Broad phases therefore
//! accept only [`Boxes`], which accept only finite, ordered bounds.

use cloth_geom::Aabb;
use thiserror::Error;

/// Greatest number of boxes in a set: trees count their leaves in 30 bits.
const MAX_BOXES: usize = (1 << 30) - 1;

/// Why a set of boxes was refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BoxesError {
    /// A bound is NaN or infinite, or a lower bound exceeds the upper one.
    #[error(
        "box {index} is not finite and ordered ({}, {}); check that its positions exist and are finite",
        .aabb.min, .aabb.max
    )]
    Invalid {
        /// The box, counted in the order of the input.
        index: usize,
        /// The box as given.
        aabb: Aabb,
    },
    /// There are more boxes than a broad phase can number.
    #[error("more than {limit} boxes; split the set")]
    TooMany {
        /// How many boxes fit.
        limit: usize,
    },
}

/// A set of closed boxes (m) whose bounds are all finite and ordered.
///
/// The id of a box is its index in the set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boxes {
    items: Vec<Aabb>,
}

impl Boxes {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A set of the given boxes.
    ///
    /// # Errors
    /// As [`Boxes::refill`].
    pub fn try_from_iter(boxes: impl IntoIterator<Item = Aabb>) -> Result<Self, BoxesError> {
        let mut set = Self::new();
        set.refill(boxes)?;
        Ok(set)
    }

    /// Replaces the content, keeping the allocation. On error the set is left empty.
    ///
    /// # Errors
    /// If a box is NaN, infinite or inverted, or if there are too many.
    pub fn refill(&mut self, boxes: impl IntoIterator<Item = Aabb>) -> Result<(), BoxesError> {
        self.refill_up_to(MAX_BOXES, boxes)
    }

    fn refill_up_to(
        &mut self,
        limit: usize,
        boxes: impl IntoIterator<Item = Aabb>,
    ) -> Result<(), BoxesError> {
        self.items.clear();
        // One box more than fits is taken, so that an endless iterator is refused too.
        self.items.extend(boxes.into_iter().take(limit + 1));
        let fault = if self.items.len() > limit {
            Some(BoxesError::TooMany { limit })
        } else {
            let invalid = self.items.iter().position(|b| !b.is_finite());
            invalid.map(|index| BoxesError::Invalid { index, aabb: self.items[index] })
        };
        if let Some(fault) = fault {
            self.items.clear();
            return Err(fault);
        }
        Ok(())
    }

    /// The boxes, by id.
    #[must_use]
    pub fn as_slice(&self) -> &[Aabb] {
        &self.items
    }

    /// How many boxes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn cube(min: f64, max: f64) -> Aabb {
        Aabb { min: Point3::new(min, min, min), max: Point3::new(max, max, max) }
    }

    #[test]
    fn refuses_boxes_that_are_not_finite_or_not_ordered_and_names_them() {
        let inverted = cube(2.0, 1.0);
        let nan = Aabb { min: Point3::new(0.0, f64::NAN, 0.0), ..cube(0.0, 1.0) };
        let infinite = cube(0.0, f64::INFINITY);
        for bad in [inverted, nan, infinite, Aabb::EMPTY] {
            let mut set = Boxes::try_from_iter([cube(0.0, 1.0)]).unwrap();
            let fault = set.refill([cube(0.0, 1.0), cube(0.0, 0.0), bad]).unwrap_err();
            assert!(matches!(fault, BoxesError::Invalid { index: 2, .. }), "{fault}");
            assert!(fault.to_string().starts_with("box 2 "));
            assert!(set.is_empty());
        }
    }

    #[test]
    fn refuses_more_boxes_than_fit_even_from_an_endless_source() {
        let mut set = Boxes::new();
        assert_eq!(set.refill_up_to(3, [cube(0.0, 1.0); 3]), Ok(()));
        let endless = std::iter::repeat(cube(0.0, 1.0));
        assert_eq!(set.refill_up_to(3, endless), Err(BoxesError::TooMany { limit: 3 }));
        assert!(set.is_empty());
    }

    #[test]
    fn keeps_its_allocation_when_refilled() {
        let mut set = Boxes::try_from_iter([cube(0.0, 1.0); 8]).unwrap();
        let before = set.as_slice().as_ptr();
        set.refill([cube(3.0, 4.0); 8]).unwrap();
        assert_eq!(set.as_slice().as_ptr(), before);
        assert_eq!(set.as_slice(), [cube(3.0, 4.0); 8]);
    }
}
