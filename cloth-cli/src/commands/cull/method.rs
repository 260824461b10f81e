//! The methods that are compared, each by name, and what one of them leaves of a pose.

use std::time::Instant;

use cloth_broadphase::cull::{
    BoxesOnly, Certificate, CullError, Culler, NormalCones, PatchTree, StarContour, WithPlanes,
};
use nalgebra::Point3;

/// A pose, and what is true of it.
pub(super) struct Pose<'a> {
    pub(super) positions: &'a [Point3<f64>],
    /// The pairs of faces that intersect, in ascending order.
    pub(super) true_pairs: &'a [[u32; 2]],
}

/// What a method leaves of a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CullResult {
    /// Pairs that share no vertex.
    pub(super) apart: usize,
    /// All pairs.
    pub(super) all: usize,
    /// True pairs that are not left.
    pub(super) missed: usize,
    pub(super) ms: f64,
}

/// Collects all pairs of a pose that a method leaves.
type Collect = Box<dyn FnMut(&[Point3<f64>], &mut Vec<[u32; 2]>) -> Result<(), CullError>>;

/// A method with its memory.
pub(super) struct Method {
    pub(super) name: &'static str,
    collect: Collect,
    pairs: Vec<[u32; 2]>,
}

/// All methods; the first spares nothing.
pub(super) fn methods(tree: &PatchTree) -> Vec<Method> {
    vec![
        Method::new::<BoxesOnly>("boxes", tree),
        Method::new::<StarContour>("star-contour", tree),
        Method::new::<NormalCones>("normal-cones", tree),
        Method::new::<WithPlanes<StarContour>>("star-contour+planes", tree),
        Method::new::<WithPlanes<NormalCones>>("normal-cones+planes", tree),
    ]
}

impl Method {
    fn new<C: Certificate + 'static>(name: &'static str, tree: &PatchTree) -> Self {
        let mut culler = Culler::<C>::new(tree.clone());
        let collect: Collect = Box::new(move |positions, pairs| {
            pairs.clear();
            culler.visit_candidates(positions, &mut |f, g| pairs.push([f, g]))
        });
        Self { name, collect, pairs: Vec::new() }
    }

    /// What it leaves of a pose; the error is a sentence.
    pub(super) fn run(&mut self, pose: &Pose<'_>, faces: &[[u32; 3]]) -> Result<CullResult, String> {
        let start = Instant::now();
        (self.collect)(pose.positions, &mut self.pairs).map_err(|e| e.to_string())?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.pairs.sort_unstable();
        let share_none = |&&[f, g]: &&[u32; 2]| {
            let g = faces[g as usize];
            faces[f as usize].iter().all(|v| !g.contains(v))
        };
        let missed = |pair: &&[u32; 2]| self.pairs.binary_search(pair).is_err();
        Ok(CullResult {
            apart: self.pairs.iter().filter(share_none).count(),
            all: self.pairs.len(),
            missed: pose.true_pairs.iter().filter(missed).count(),
            ms,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::Topology;

    #[test]
    fn counts_what_is_left_and_what_is_missed() {
        // Two faces that cross, and a third that shares a vertex with the first.
        let at = [
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [0.0, 0.0, 4.0],
            [1.0, -1.0, 1.0],
            [1.0, 1.0, 1.0],
            [2.0, 0.0, 2.0],
        ];
        let mut positions: Vec<Point3<f64>> = at.map(Point3::from).to_vec();
        positions.extend([Point3::new(-1.0, 0.0, 0.0), Point3::new(-1.0, 0.5, -1.0)]);
        let faces = [[0, 1, 2], [3, 4, 5], [0, 6, 7]];
        let tree = PatchTree::new(&Topology::new(8, &faces).unwrap());
        for mut method in methods(&tree) {
            let pose = Pose { positions: &positions, true_pairs: &[[0, 1], [1, 2]] };
            let left = method.run(&pose, &faces).unwrap();
            assert_eq!((left.apart, left.all), (1, 2), "{}", method.name);
            // Faces 1 and 2 are far apart: had they been a true pair, it would have been missed.
            assert_eq!(left.missed, 1, "{}", method.name);
        }
    }
}
