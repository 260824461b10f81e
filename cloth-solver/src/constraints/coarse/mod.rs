//! Coarse levels of stretch: a multilevel correction that carries tension across the cloth in one substep.
//!
//! Gauss-Seidel over the springs carries a load one edge further with every pass, so a sheet of 64 cells sags
//! by `2 n g h^2` an edge below which `n` others hang, however stiff the fabric. The cure is the usual one
//! for elliptic problems, a correction on coarser levels; here by aggregation:
//!
//! ```text
//!   vertices   . . . . | . . . .       a node: the vertices of a patch of about 2 x 2 (8 x 8, 32 x 32) edges
//!              . . . . | . . . .       its position: their centre of mass
//!              . . . . | . . . .       node springs: what joins the patches, in series and in parallel
//!   nodes         o----|----o          a correction of a node moves all its vertices alike
//! ```
//!
//! The centres of congruent patches of an inextensible sheet are never farther apart than at rest, whatever
//! its folds. So node springs are unilateral: they only pull, and have no effect on folded or loose cloth.
//! Momentum is conserved: a node's displacement is the mass-weighted mean of its vertices.
//!
//! Measured on `hang` and `drape-sphere`, see `docs/design/stretch.md`.

mod levels;
mod patches;

use std::sync::Arc;

use nalgebra::Point3;

use super::stretch::Spring;
use crate::chunks::Chunks;
pub(crate) use levels::CoarseLevels;

/// Gauss-Seidel passes over the springs of a level.
const PASSES: u32 = 2;

/// Edges across the patches of the levels that every cloth has, coarsest first.
const PATCH_SIZES: [f32; 2] = [8.0, 2.0];

/// How much coarser each further level is.
const COARSENING_FACTOR: f32 = 4.0;

/// Minimum number of springs of a further level: 8 x 8 patches have more; a sheet of 64 x 64 vertices has too
/// few to profit.
const MIN_SPRINGS: usize = 64;

/// Input of the levels, over the vertices of all cloths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoarseInput<'a> {
    pub(crate) rest: &'a [Point3<f32>],
    pub(crate) faces: &'a [[u32; 3]],
    pub(crate) springs: &'a [Spring],
    pub(crate) inv_mass: &'a [f32],
    /// Vertices on folds of `rest` that will unfold, ascending: distances of patches across them are
    /// meaningless.
    pub(crate) unfolding: &'a [u32],
    /// Mean edge length (m) that patches are counted in.
    pub(crate) edge_length: f32,
    pub(crate) chunks: &'a Arc<Chunks>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::Topology;
    use cloth_geom::fixtures::sheet;

    /// The number of levels of a square sheet of so many vertices a side, some of them pinned.
    fn count(side: usize, pinned: impl Fn(usize) -> bool) -> usize {
        let flat = sheet(side, side, [1.0, 1.0]).unwrap().mesh;
        let rest = flat.positions_f32();
        let topology = Topology::of_mesh(&flat).unwrap();
        let spring = |&[a, b]: &[u32; 2]| {
            let length = (rest[b as usize] - rest[a as usize]).norm();
            Spring { a, b, rest: length, compliance: 1e-4 }
        };
        let springs: Vec<Spring> = topology.edges().iter().map(spring).collect();
        let inv_mass: Vec<f32> = (0..rest.len()).map(|v| if pinned(v) { 0.0 } else { 1e5 }).collect();
        let edge_length = 1.0 / (side - 1) as f32;
        let faces = topology.faces();
        let chunks = Arc::new(Chunks::new(&rest, std::iter::once(0..rest.len()), std::iter::empty(), 1));
        let (rest, springs, inv_mass, chunks) = (&rest, &springs, &inv_mass, &chunks);
        let input = CoarseInput { rest, faces, springs, inv_mass, unfolding: &[], edge_length, chunks };
        CoarseLevels::new(&input).count()
    }

    #[test]
    fn a_cloth_that_is_larger_in_edges_has_more_levels() {
        assert_eq!([9, 64, 250].map(|side| count(side, |_| false)), [2, 2, 3]);
    }

    #[test]
    fn pins_that_each_are_a_patch_make_no_levels_without_end() {
        assert_eq!(count(64, |v| v % 64 == 0), 2);
        assert_eq!(count(64, |_| true), 2);
    }
}
