//! Counts the intersections of states of garments exactly, by kind.

use cloth_contacts::intersect::{Checker, IntersectError, Intersections, Seams};
use cloth_contacts::tangle::{Contour, hit_point, trace};
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

use super::{EdgeStrain, RemainingContour, UntangleGarment};
use crate::{BuildError, ByParts, IntersectingParts};

pub(super) struct IntersectionCounter<'a> {
    topology: Topology,
    /// Positions of the garments, then of the bodies.
    at: Vec<Point3<f64>>,
    /// The first vertex after each garment.
    ends: Vec<usize>,
    /// Edges of the garments, with their lengths at rest.
    rest_lengths: Vec<([u32; 2], f64)>,
    seams: Option<&'a Seams>,
    checker: Checker,
}

fn length(at: &[Point3<f64>], [a, b]: [u32; 2]) -> f64 {
    (at[a as usize] - at[b as usize]).norm()
}

impl<'a> IntersectionCounter<'a> {
    pub(super) fn new(
        garments: &[UntangleGarment<'_>],
        bodies: &[TriMesh],
        seams: Option<&'a Seams>,
    ) -> Result<Self, BuildError> {
        let (mut all, mut ends) = (TriMesh::default(), Vec::new());
        for garment in garments {
            all.append(garment.mesh);
            ends.push(all.positions.len());
        }
        let cloth_count = all.positions.len();
        for body in bodies {
            all.append(body);
        }
        let topology = Topology::of_mesh(&all).map_err(|e| BuildError::Surface(e.into()))?;
        let at = all.positions;
        let rest = |&[a, b]: &[u32; 2]| Some(([a, b], length(&at, [a, b]))).filter(|&(_, rest)| rest > 0.0);
        let is_cloth = |[v, _]: &&[u32; 2]| (*v as usize) < cloth_count;
        let rest_lengths = topology.edges().iter().filter(is_cloth).filter_map(rest).collect();
        let mut checker = Checker::default();
        checker.leave_out_among((0..at.len()).map(|v| v >= cloth_count));
        Ok(Self { topology, at, ends, rest_lengths, seams, checker })
    }

    /// What intersects at these positions of the garments: of each pair, at least one is of a garment.
    pub(super) fn find(&mut self, x: &[Point3<f64>]) -> Result<Intersections, IntersectError> {
        self.at[..x.len()].copy_from_slice(x);
        let mut found = self.checker.check(&self.at, &self.topology)?;
        found.retain(|hit| self.parts(hit) != IntersectingParts::BodyWithItself);
        Ok(match self.seams {
            Some(seams) => seams.closed_in(&self.at).leave_out(found, &self.topology),
            None => found,
        })
    }

    /// The garments of an edge and of a face, the lower number first; `None`, first, for a body.
    fn garments(&self, [edge, face]: [u32; 2]) -> [Option<usize>; 2] {
        let first = [self.topology.edges()[edge as usize][0], self.topology.faces()[face as usize][0]];
        let garment = |v: u32| self.ends.partition_point(|&end| end <= v as usize);
        let mut both = first.map(garment).map(|number| (number < self.ends.len()).then_some(number));
        both.sort_unstable();
        both
    }

    fn parts(&self, hit: [u32; 2]) -> IntersectingParts {
        match self.garments(hit) {
            [None, None] => IntersectingParts::BodyWithItself,
            [None, _] => IntersectingParts::ClothWithBody,
            [a, b] if a == b => IntersectingParts::ClothWithItself,
            _ => IntersectingParts::ClothWithCloth,
        }
    }

    pub(super) fn by_parts(&self, found: &Intersections) -> ByParts<usize> {
        let mut counts = ByParts::default();
        found.edge_faces.iter().for_each(|&hit| counts[self.parts(hit)] += 1);
        counts
    }

    /// The strain of the edges at the positions that were checked last.
    pub(super) fn strain(&self) -> EdgeStrain {
        let strain = |&(ends, rest): &([u32; 2], f64)| (length(&self.at, ends) / rest - 1.0).abs();
        let mut all: Vec<f64> = self.rest_lengths.iter().map(strain).collect();
        all.sort_unstable_by(f64::total_cmp);
        let p99 = all.get((all.len() * 99).div_ceil(100).saturating_sub(1));
        EdgeStrain { p99: p99.copied().unwrap_or(0.0), max: all.last().copied().unwrap_or(0.0) }
    }

    /// The contours of what was found last, the longest first.
    pub(super) fn contours(&self, found: &Intersections) -> Vec<RemainingContour> {
        let remaining = |contour: &Contour| {
            let places = contour.hits.iter().filter_map(|&hit| hit_point(hit, &self.at, &self.topology));
            let count = contour.hits.len();
            // Its hits are of pairs of faces that share an edge, so of the same two parts.
            let between = contour.hits.first().map_or([None; 2], |&hit| self.garments(hit));
            RemainingContour {
                intersections: count,
                length: contour.length(&self.at, &self.topology),
                center: Point3::from(places.map(|p| p.coords).sum::<Vector3<f64>>() / count as f64),
                with_body: between[0].is_none(),
                between,
            }
        };
        let mut all: Vec<_> = trace(&found.edge_faces, &self.topology).iter().map(remaining).collect();
        all.sort_by(|a, b| b.length.total_cmp(&a.length));
        all
    }
}
