//! A broad phase of any type, for owners without a type parameter.
//!
//! [`BroadPhase`] takes visitors as type parameters, so that the compiler sees through a visit; a trait
//! object cannot. A structure behind a trait object collects its pairs in batches instead: one indirect call
//! per [`BATCH`] pairs, and none per pair.

use std::fmt::{self, Debug, Formatter};

use crate::{BlockTree, Boxes, BroadPhase, PairFilter, Pairs};

/// Pairs per call of a batch visitor: 2 KiB on the stack, so that the cost of the call is negligible compared
/// with that of finding them.
const BATCH: usize = 256;

/// A broad phase whose type is chosen when the program runs; by default a [`BlockTree`].
///
/// [`BroadPhase::into_any`] makes one from any broad phase. Updates and searches cost one indirect call each,
/// and visits one per batch of 256 pairs; a [`BlockTree`] costs none. The pairs are those of the broad phase
/// inside, in the same order.
///
/// ```
/// use cloth_broadphase::{AnyBroadPhase, BroadPhase, SpatialHash};
///
/// let choices: [AnyBroadPhase; 2] = [AnyBroadPhase::default(), SpatialHash::default().into_any()];
/// ```
#[derive(Clone, Debug, Default)]
pub struct AnyBroadPhase(Inner);

// Inline: the default allocates nothing, and its visits are compiled like those of a `BlockTree`.
#[derive(Clone)]
enum Inner {
    BlockTree(BlockTree),
    Other(Box<dyn Erased>),
}

impl AnyBroadPhase {
    /// A broad phase behind a trait object.
    pub(crate) fn boxed(broad_phase: impl BroadPhase) -> Self {
        Self(Inner::Other(Box::new(broad_phase)))
    }
}

impl From<BlockTree> for AnyBroadPhase {
    fn from(tree: BlockTree) -> Self {
        Self(Inner::BlockTree(tree))
    }
}

impl Default for Inner {
    fn default() -> Self {
        Self::BlockTree(BlockTree::default())
    }
}

impl Debug for Inner {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::BlockTree(tree) => tree.fmt(f),
            Self::Other(other) => other.fmt(f),
        }
    }
}

impl BroadPhase for AnyBroadPhase {
    fn update(&mut self, boxes: &Boxes) {
        match &mut self.0 {
            Inner::BlockTree(tree) => tree.update(boxes),
            Inner::Other(other) => other.set_boxes(boxes),
        }
    }

    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        match &self.0 {
            Inner::BlockTree(tree) => tree.visit_self_pairs(filter, visit),
            Inner::Other(other) => other.visit_self_batches(filter, &mut |batch| each(batch, visit)),
        }
    }

    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        match &self.0 {
            Inner::BlockTree(tree) => tree.visit_pairs_with(other, filter, visit),
            Inner::Other(own) => own.visit_batches_with(other, filter, &mut |batch| each(batch, visit)),
        }
    }

    fn self_pairs(&self, filter: &PairFilter<'_>, out: &mut Pairs) {
        match &self.0 {
            Inner::BlockTree(tree) => tree.self_pairs(filter, out),
            Inner::Other(other) => other.collect_self_pairs(filter, out),
        }
    }

    fn pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, out: &mut Pairs) {
        match &self.0 {
            Inner::BlockTree(tree) => tree.pairs_with(other, filter, out),
            Inner::Other(own) => own.collect_pairs_with(other, filter, out),
        }
    }

    fn into_any(self) -> AnyBroadPhase {
        self
    }
}

fn each(batch: &[[u32; 2]], visit: &mut impl FnMut(u32, u32)) {
    batch.iter().for_each(|&[a, b]| visit(a, b));
}

/// [`BroadPhase`] as a trait object.
trait Erased: Debug + Send + Sync {
    fn set_boxes(&mut self, boxes: &Boxes);
    fn visit_self_batches(&self, filter: &PairFilter<'_>, visit: &mut dyn FnMut(&[[u32; 2]]));
    fn visit_batches_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut dyn FnMut(&[[u32; 2]]));
    fn collect_self_pairs(&self, filter: &PairFilter<'_>, out: &mut Pairs);
    fn collect_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, out: &mut Pairs);
    fn boxed_clone(&self) -> Box<dyn Erased>;
}

impl Clone for Box<dyn Erased> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

impl<B: BroadPhase> Erased for B {
    fn set_boxes(&mut self, boxes: &Boxes) {
        self.update(boxes);
    }

    fn visit_self_batches(&self, filter: &PairFilter<'_>, visit: &mut dyn FnMut(&[[u32; 2]])) {
        let mut batch = Batch::new(visit);
        self.visit_self_pairs(filter, &mut |a, b| batch.push([a, b]));
        batch.flush();
    }

    fn visit_batches_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut dyn FnMut(&[[u32; 2]])) {
        let mut batch = Batch::new(visit);
        self.visit_pairs_with(other, filter, &mut |a, b| batch.push([a, b]));
        batch.flush();
    }

    fn collect_self_pairs(&self, filter: &PairFilter<'_>, out: &mut Pairs) {
        self.self_pairs(filter, out);
    }

    fn collect_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, out: &mut Pairs) {
        self.pairs_with(other, filter, out);
    }

    fn boxed_clone(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }
}

/// Pairs on their way to a batch visitor.
struct Batch<'a> {
    pairs: [[u32; 2]; BATCH],
    len: usize,
    visit: &'a mut dyn FnMut(&[[u32; 2]]),
}

impl<'a> Batch<'a> {
    fn new(visit: &'a mut dyn FnMut(&[[u32; 2]])) -> Self {
        Self { pairs: [[0; 2]; BATCH], len: 0, visit }
    }

    fn push(&mut self, pair: [u32; 2]) {
        self.pairs[self.len] = pair;
        self.len += 1;
        if self.len == BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        (self.visit)(&self.pairs[..self.len]);
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BruteForce, SpatialHash};
    use cloth_geom::Aabb;
    use nalgebra::Point3;

    mod of_a_block_tree {
        use crate::AnyBroadPhase;

        crate::conformance_suite!(conformance, AnyBroadPhase::default());
    }

    mod behind_a_trait_object {
        use super::BoxedHash;

        crate::conformance_suite!(conformance, BoxedHash::default());
    }

    /// A spatial hash behind a trait object.
    #[derive(Clone, Debug)]
    struct BoxedHash(AnyBroadPhase);

    impl Default for BoxedHash {
        fn default() -> Self {
            Self(SpatialHash::default().into_any())
        }
    }

    impl BroadPhase for BoxedHash {
        fn update(&mut self, boxes: &Boxes) {
            self.0.update(boxes);
        }

        fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
            self.0.visit_self_pairs(filter, visit);
        }

        fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
            self.0.visit_pairs_with(other, filter, visit);
        }
    }

    /// `count` equal boxes, of which all pairs overlap.
    fn equal_boxes(count: usize) -> Boxes {
        let unit = Aabb { min: Point3::origin(), max: Point3::new(1.0, 1.0, 1.0) };
        Boxes::try_from_iter(std::iter::repeat_n(unit, count)).unwrap()
    }

    #[test]
    fn visits_pairs_in_the_order_of_the_broad_phase_inside_across_batches() {
        let boxes = equal_boxes(40);
        let mut inside = BruteForce::default();
        inside.update(&boxes);
        let any = inside.clone().into_any();
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        inside.visit_self_pairs(&PairFilter::all(), &mut |a, b| expected.push([a, b]));
        any.visit_self_pairs(&PairFilter::all(), &mut |a, b| found.push([a, b]));
        assert_eq!(found, expected);
        assert!(found.len() > 2 * BATCH && !found.len().is_multiple_of(BATCH));
    }

    #[test]
    fn a_clone_keeps_type_and_boxes_and_is_updated_on_its_own() {
        let mut first = BruteForce::default().into_any();
        first.update(&equal_boxes(3));
        let mut second = first.clone();
        second.update(&equal_boxes(2));
        let count = |any: &AnyBroadPhase| {
            let mut pairs = Pairs::new();
            any.self_pairs(&PairFilter::all(), &mut pairs);
            pairs.len()
        };
        assert_eq!([count(&first), count(&second)], [3, 1]);
        assert!(format!("{second:?}").contains("BruteForce"));
    }

    #[test]
    fn wrapping_twice_wraps_once() {
        let twice = SpatialHash::default().into_any().into_any();
        assert_eq!(format!("{twice:?}"), format!("{:?}", SpatialHash::default().into_any()));
        assert!(matches!(BlockTree::default().into_any().0, Inner::BlockTree(_)));
    }
}
