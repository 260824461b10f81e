//! How far each vertex may move in any direction, whatever the others do within theirs.
//!
//! Half the distance of a vertex and a face, or of two edges, for each of their vertices: a point of a
//! primitive moves no farther than the vertices of it, so the two cannot meet. Pairs are searched up to a
//! reach of each vertex, and half of that is the most that it is given.

use cloth_broadphase::{AnyBroadPhase, Boxes, BroadPhase, Members, PairFilter};
use cloth_contacts::Coordinate;
use cloth_contacts::gate::Pair;
use cloth_geom::bounds::{U64, gamma};
use cloth_geom::closest::{ERROR_IN_ROUNDOFFS, point_segment, point_triangle, segment_segment};
use cloth_geom::{Aabb, BoxTree};
use nalgebra::Point3;

use crate::input::{check_limit, exact};
use crate::{CollisionMesh, InputError};

/// Faces of a leaf of the tree in which the nearest one is searched.
const LEAF: usize = 4;

/// What rounding could add to a distance, as a share of the largest distance of two points of the pair.
const ERROR: f64 = 2.0 * gamma(ERROR_IN_ROUNDOFFS, U64);

/// What underflow could add to a distance (m): the share holds for pairs of 1e-139 m and more
/// ([`cloth_geom::closest`]), and the distance of smaller ones is at most their size.
const UNDERFLOW: f64 = 1e-138;

/// The least positive `f32`.
const LEAST: f64 = f32::MIN_POSITIVE as f64 * f32::EPSILON as f64;

impl CollisionMesh {
    /// For each vertex a distance (m): while every vertex moves on a straight line by at most its own, in any
    /// direction, nothing touches. 0 for vertices of pairs that touch, and at most the size of the mesh.
    ///
    /// A tangled start stays as tangled as it is.
    ///
    /// # Errors
    /// If there is not one finite position a vertex, or one is beyond [`CollisionMesh::LIMIT`].
    pub fn safe_distances<T: Coordinate>(&self, x: &[[T; 3]]) -> Result<Vec<T>, InputError> {
        check_limit(self, "x", x)?;
        let x = exact(x);
        let topology = self.topology();
        let reach = self.reaches(&x);
        let mut halved: Vec<f64> = reach.iter().map(|reach| 0.5 * reach).collect();
        let mut lower = |vertices: &[u32], distance: f64| {
            let half = 0.5 * distance.max(0.0);
            vertices.iter().for_each(|&v| halved[v as usize] = halved[v as usize].min(half));
        };
        let too_many = |_| InputError::TooMany(topology.faces().len());
        // Half the reach would do: each vertex gets at most half of its own, so primitives cannot meet whose
        // boxes, each grown by half of the largest reach of its vertices, are apart along an axis. The other
        // half covers whatever rounding does to reaches and boxes.
        let around = |vertices: &[u32]| {
            let reach = vertices.iter().map(|&v| reach[v as usize]).fold(0.0, f64::max);
            Aabb::of_points(vertices.iter().map(|&v| x[v as usize])).inflated(reach)
        };
        let at = |v: u32| &x[v as usize];
        let mut broad_phase = AnyBroadPhase::default();
        let mut boxes = Boxes::default();
        boxes.refill(topology.faces().iter().map(|face| around(face))).map_err(too_many)?;
        broad_phase.update(&boxes);
        boxes.refill((0..x.len() as u32).map(|v| around(&[v]))).map_err(too_many)?;
        let faces = Members::Faces(topology.faces());
        let filter = PairFilter::no_shared_vertex(faces, Members::Points(x.len()));
        broad_phase.visit_pairs_with(&boxes, &filter, &mut |f, v| {
            if self.guards(Pair::PointTriangle([v, f])) {
                let [a, b, c] = topology.faces()[f as usize];
                let distance_sq = point_triangle(at(v), [at(a), at(b), at(c)]).distance_sq;
                lower(&[v, a, b, c], at_least(distance_sq, [v, a, b, c].map(at)));
            }
        });
        let edges = topology.edges();
        boxes.refill(edges.iter().map(|edge| around(edge))).map_err(too_many)?;
        broad_phase.update(&boxes);
        let filter = PairFilter::no_shared_vertex(Members::Edges(edges), Members::Edges(edges));
        broad_phase.visit_self_pairs(&filter, &mut |a, b| {
            if self.guards(Pair::EdgeEdge([a, b])) {
                let ([p, q], [r, s]) = (edges[a as usize], edges[b as usize]);
                let distance_sq = segment_segment([at(p), at(q)], [at(r), at(s)]).distance_sq;
                lower(&[p, q, r, s], at_least(distance_sq, [p, q, r, s].map(at)));
            }
        });
        Ok(halved.into_iter().map(rounded_down).collect())
    }

    /// For each vertex a distance (m) up to which pairs are searched: that of the nearest face, of the
    /// nearest edge where no face may collide, or the size of everything where there is nothing.
    fn reaches(&self, x: &[Point3<f64>]) -> Vec<f64> {
        let topology = self.topology();
        let corners: Vec<[Point3<f64>; 3]> =
            topology.faces().iter().map(|face| face.map(|v| x[v as usize])).collect();
        let ends: Vec<[Point3<f64>; 2]> =
            topology.edges().iter().map(|edge| edge.map(|v| x[v as usize])).collect();
        let (faces, edges) = (BoxTree::new(&corners, LEAF), BoxTree::new(&ends, LEAF));
        let whole = Aabb::of_points(x.iter().copied());
        let size = if x.is_empty() { 0.0 } else { 2.0 * (whole.max - whole.min).norm() };
        let nearest = |v: u32| {
            let (p, mut nearest_sq) = (&x[v as usize], size * size);
            faces.visit_near(p, nearest_sq, |place| {
                let f = faces.order()[place];
                if !topology.faces()[f as usize].contains(&v) && self.guards(Pair::PointTriangle([v, f])) {
                    let [a, b, c] = &corners[f as usize];
                    nearest_sq = nearest_sq.min(point_triangle(p, [a, b, c]).distance_sq);
                }
                nearest_sq
            });
            if nearest_sq < size * size {
                return nearest_sq.sqrt() * (1.0 + 1e-9);
            }
            let is_neighbour = |u: u32| u == v || topology.edge_between(u, v).is_some();
            edges.visit_near(p, nearest_sq, |place| {
                let e = edges.order()[place] as usize;
                if !topology.edges()[e].iter().any(|&u| is_neighbour(u)) {
                    let [a, b] = &ends[e];
                    nearest_sq = nearest_sq.min(point_segment(p, a, b).distance_sq);
                }
                nearest_sq
            });
            nearest_sq.sqrt() * (1.0 + 1e-9)
        };
        (0..x.len() as u32).map(nearest).collect()
    }
}

/// A lower bound (m) of the distance of two primitives, from its computed square and their vertices.
fn at_least(distance_sq: f64, vertices: [&Point3<f64>; 4]) -> f64 {
    let size = vertices.iter().map(|v| (*v - vertices[0]).norm()).fold(0.0, f64::max);
    distance_sq.sqrt() * (1.0 - 4.0 * f64::EPSILON) - 2.0 * size * ERROR - UNDERFLOW
}

/// A number of a kind that is not greater than one that is not negative, and hardly less.
///
/// The nearest one is off by at most half a unit of its last place, which is `x` times 2^-24 at most, or half
/// of the least number where it is subnormal; less by twice that, it is not greater.
fn rounded_down<T: Coordinate>(x: f64) -> T {
    let nearest = T::nearest(x);
    if nearest.into() <= x {
        return nearest;
    }
    T::nearest((x * (1.0 - f64::from(f32::EPSILON)) - LEAST).max(0.0))
}
