//! The collision surface: everything about the cloth that detection reads and that no motion changes.
//!
//! Several cloths, and bodies given as meshes, form one surface. Their vertices are concatenated in one
//! array, and each vertex has the number of its part.

use std::sync::Arc;

use cloth_geom::MapInline;
use cloth_geom::bounds::{U32, gamma};
use cloth_geom::closest::TriangleFeature;
use cloth_geom::{Topology, fnv1a, sorted_unique};
use nalgebra::Point3;

use crate::authored_regions::AuthoredRegions;
use crate::coordinate::{exact, middle};
use crate::layers::Layers;
use crate::leaves::Leaves;
use crate::narrow_phase_error::DISTANCE_ERROR;
use crate::part_shape::{self, PartShape};
use crate::regions::{Groups, Regions};
use crate::rest_distance::RestDistances;
use crate::{Coordinate, SurfaceError};

/// Share of a reach that rounding could cost: of its sums in `f32`, and of the distance that it is compared
/// with.
pub(crate) const REACH_ERROR: f64 = gamma(8, U32) + DISTANCE_ERROR;

/// Description of a [`Surface`]; all slices have one entry per vertex unless stated otherwise.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceDesc<'a> {
    /// All faces, indexing the vertices of all parts.
    pub faces: &'a [[u32; 3]],
    /// Radius `r` (m): two surfaces are in contact at the sum of their radii.
    pub radius: &'a [f32],
    /// Half the static collision radius (m): a pair is near within the sum of both halves beyond contact.
    pub half_scr: &'a [f32],
    /// The part (cloth or body) of each vertex.
    pub part: &'a [u16],
    /// Whether a part is kinematic; two kinematic parts do not collide. One entry per part.
    pub kinematic: &'a [bool],
    /// Rest positions (m), for `min(2r, d_rest)`.
    pub rest: &'a [Point3<f32>],
    /// Vertex pairs whose primitives do not collide, as if the two vertices were one.
    pub exclusions: &'a [[u32; 2]],
    /// The region of each face, and how regions interact.
    pub regions: Regions<'a>,
}

/// A collision surface: topology, radii, parts and the pairs that never collide.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Shared with the surface of the gate.
    pub(crate) topology: Arc<Topology>,
    pub(crate) radius: Vec<f32>,
    pub(crate) half_scr: Vec<f32>,
    /// How far (m) each vertex may be from where the lists see it; empty where they see it as it is.
    pub(crate) rounding: Vec<f32>,
    pub(crate) part: Vec<u16>,
    /// By part: whether it is kinematic.
    pub(crate) kinematic: Vec<bool>,
    /// Sorted (min, max) pairs.
    pub(crate) exclusions: Vec<[u32; 2]>,
    /// Whether each vertex is in one of them.
    is_excluded: Vec<bool>,
    /// For each face, the corners and edges that it owns (Lewin 4.5).
    pub(crate) representatives: Vec<cloth_geom::RepresentativeBits>,
    pub(crate) rest: RestDistances,
    /// Shared with the surface of the gate.
    pub(crate) leaves: Arc<Leaves>,
    pub(crate) layers: Layers,
    /// Which parts and regions interact.
    pub(crate) groups: Groups,
    /// The regions as given in the description.
    pub(crate) authored_regions: AuthoredRegions,
}

impl Surface {
    /// Validates the description and precomputes adjacency, ownership and rest distances.
    ///
    /// # Errors
    /// If lengths disagree, an index is out of range, or a number is not finite.
    pub fn new(desc: &SurfaceDesc<'_>) -> Result<Self, SurfaceError> {
        check_desc(desc)?;
        let topology = Topology::new(desc.rest.len(), desc.faces)?;
        let groups = Groups::new(&topology, desc.part, desc.kinematic, &desc.regions)?;
        let leaves = Leaves::new(&topology, &groups, desc.rest);
        let rest = RestDistances::measure(&topology, desc.radius, desc.part, desc.rest);
        Ok(Self::assemble(desc, topology, groups, leaves, rest))
    }

    /// As [`Surface::new`], from prepared parts that follow one another, one for each number in
    /// `desc.kinematic`: equal, in time that is linear but for the parts with regions.
    ///
    /// # Errors
    /// As [`Surface::new`], or if a prepared part is not that of the description.
    pub fn from_parts(desc: &SurfaceDesc<'_>, shapes: &[&PartShape]) -> Result<Self, SurfaceError> {
        check_desc(desc)?;
        let topology = Topology::concat(shapes.iter().map(|shape| &shape.topology));
        let places = part_shape::places(shapes);
        part_shape::check(desc, &topology, shapes, &places)?;
        let groups = Groups::new(&topology, desc.part, desc.kinematic, &desc.regions)?;
        let leaves = match part_shape::placed_leaves(shapes, &places, &groups) {
            Some(parts) => Leaves::concat(&parts),
            None => Leaves::new(&topology, &groups, desc.rest),
        };
        let rest = part_shape::rest_distances(shapes, &places);
        Ok(Self::assemble(desc, topology, groups, leaves, rest))
    }

    fn assemble(
        desc: &SurfaceDesc<'_>,
        topology: Topology,
        groups: Groups,
        leaves: Leaves,
        rest: RestDistances,
    ) -> Self {
        let exclusions = sorted_unique(desc.exclusions.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
        let mut is_excluded = vec![false; desc.rest.len()];
        exclusions.iter().flatten().for_each(|&v| is_excluded[v as usize] = true);
        Self {
            representatives: topology.representatives(),
            leaves: Arc::new(leaves),
            groups,
            authored_regions: AuthoredRegions::new(&desc.regions),
            topology: Arc::new(topology),
            radius: desc.radius.to_vec(),
            half_scr: desc.half_scr.to_vec(),
            rounding: Vec::new(),
            part: desc.part.to_vec(),
            kinematic: desc.kinematic.to_vec(),
            exclusions,
            is_excluded,
            rest,
            layers: Layers::default(),
        }
    }

    /// A surface for the gate alone, of faces and loose edges; to be placed ([`Surface::placed`]) before use.
    /// Its parts, exclusions and regions are those of a [`SurfaceDesc`].
    ///
    /// # Errors
    /// If lengths disagree or an index is out of range.
    pub fn for_gate_alone(
        topology: Topology,
        part: &[u16],
        kinematic: &[bool],
        exclusions: &[[u32; 2]],
        regions: Regions<'_>,
    ) -> Result<Self, SurfaceError> {
        let count = topology.vertex_count();
        let (radius, rest) = (vec![0.0; count], vec![Point3::origin(); count]);
        let desc = SurfaceDesc {
            faces: topology.faces(),
            radius: &radius,
            half_scr: &radius,
            part,
            kinematic,
            rest: &rest,
            exclusions,
            regions,
        };
        check_desc(&desc)?;
        let groups = Groups::new(&topology, part, kinematic, &regions)?;
        let (leaves, rest) = (Leaves::default(), RestDistances::default());
        Ok(Self::assemble(&desc, topology.clone(), groups, leaves, rest).for_gate())
    }

    /// The same surface with leaves for these positions (m), and the clearance (m) of two vertices at each of
    /// them; that of a pair is the mean of its widest vertices.
    ///
    /// Positions decide how fast the lists are, and nothing else.
    #[must_use]
    pub fn placed<T: Coordinate>(
        &self,
        positions: &[Point3<T>],
        clearance: impl Fn(&Point3<T>) -> f32,
    ) -> Self {
        let mut surface = self.clone();
        let origin = middle(positions, &mut Vec::new());
        let rounded: Vec<Point3<f32>> = positions.iter().map(|p| (exact(p) - origin).cast().into()).collect();
        surface.leaves = Arc::new(Leaves::new(&surface.topology, &surface.groups, &rounded));
        surface.radius = positions.iter().map(|p| 0.5 * clearance(p)).collect();
        surface
    }

    /// Clearance of the gate as a share of the contact distance.
    pub const CLEARANCE: f32 = 0.05;

    /// The surface for the gate: every pair that collides in any way is guarded, the reach is the clearance,
    /// and layers are ignored.
    #[must_use]
    pub fn for_gate(&self) -> Self {
        let mut surface = self.clone();
        surface.radius.iter_mut().for_each(|r| *r *= Self::CLEARANCE);
        surface.half_scr.fill(0.0);
        surface.groups.full_mesh = surface.groups.gated.clone();
        surface.layers = Layers::default();
        surface.rest = RestDistances::default();
        surface
    }

    /// The adjacency of the whole surface.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Whether any two regions collide in full.
    #[must_use]
    pub fn collides_in_full(&self) -> bool {
        self.groups.any_full_mesh()
    }

    /// Whether any two regions collide as particles.
    #[must_use]
    pub fn collides_as_particles(&self) -> bool {
        self.groups.any_particles()
    }

    /// Whether two vertices collide as particles, given their parts and regions.
    #[must_use]
    pub fn particles_interact(&self, a: u32, b: u32) -> bool {
        let group = |v: u32| self.groups.of_vertex.get(v as usize).copied();
        matches!((group(a), group(b)), (Some(a), Some(b)) if self.groups.particles.interact(a, b))
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.radius.len()
    }

    /// Radius and static collision radius (m) of a vertex against colliders.
    #[must_use]
    pub fn radius_and_scr(&self, vertex: usize) -> (f32, f32) {
        (self.radius[vertex], 2.0 * self.half_scr[vertex])
    }

    /// A hash of faces, loose edges, parts and layers, equal on every machine for equal surfaces.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let faces = self.topology.faces().iter().flatten().copied();
        let layer = |v: usize| self.layers.of_vertex(v as u32).map_or(u32::MAX, u32::from);
        let vertices = (0..self.vertex_count()).flat_map(|v| [u32::from(self.part[v]), layer(v)]);
        let loose = self.topology.loose_edges().flat_map(|e| self.topology.edges()[e as usize]);
        fnv1a(faces.chain(vertices).chain(loose).flat_map(u32::to_le_bytes))
    }

    /// Whether two vertices belong to different layers, so that the order of the layers decides the side of
    /// their contact.
    #[must_use]
    pub fn are_ordered(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.layers.of_vertex(a), self.layers.of_vertex(b));
        matches!((a, b), (Some(a), Some(b)) if a != b)
    }

    /// Distance (m) at which two vertices' surfaces are in contact.
    pub(crate) fn contact_distance(&self, a: u32, b: u32) -> f32 {
        self.radius[a as usize] + self.radius[b as usize]
    }

    /// Distance (m) at which two edges are in contact, at the parameters `s` and `t` along them: the radius
    /// is linear along an edge.
    pub(crate) fn contact_distance_of_edges(&self, [a, b]: [[u32; 2]; 2], [s, t]: [f32; 2]) -> f32 {
        let radius = |ends: [u32; 2], u: f32| {
            let [from, to] = ends.map_inline(|v| self.radius[v as usize]);
            from + (to - from) * u
        };
        radius(a, s) + radius(b, t)
    }

    /// Distance (m) within which a pair is near: contact distance plus static collision radius.
    #[must_use]
    pub fn reach(&self, a: u32, b: u32) -> f32 {
        self.contact_distance(a, b) + self.half_scr[a as usize] + self.half_scr[b as usize]
    }

    /// Clearance (m) of a pair on the surface of the gate, of which the first `split` vertices are one
    /// primitive: that of their widest ones, as in lists, whichever way a primitive is written.
    #[inline]
    pub(crate) fn clearance(&self, vertices: &[u32; 4], split: usize) -> f32 {
        let widest = |side: &[u32]| side.iter().map(|&v| self.radius[v as usize]).fold(0.0, f32::max);
        let (a, b) = vertices.split_at(split);
        widest(a) + widest(b)
    }

    /// Whether detection lists every pair that the gate has to keep apart, so that its lists serve both.
    #[doc(hidden)]
    #[must_use]
    pub fn candidates_cover_gate(&self) -> bool {
        self.groups.full_mesh == self.groups.gated
    }

    /// Whether no pair of cloth and cloth, or of cloth and body, is permanently exempt.
    pub(crate) fn guards_all_cloth(&self) -> bool {
        self.groups.guards_all_cloth() && self.exclusions.is_empty()
    }

    /// Whether the gate guards an edge and a face, `[edge, face]`: false for two bodies, for regions that
    /// ignore each other, for stitched or excluded vertices, and for ids out of range.
    #[must_use]
    pub fn is_guarded_hit(&self, [e, f]: [u32; 2]) -> bool {
        let (edges, faces) = (self.topology.edges(), self.topology.faces());
        let (Some(ends), Some(corners)) = (edges.get(e as usize), faces.get(f as usize)) else {
            return false;
        };
        let groups = &self.groups;
        groups.gated.interact(groups.of_edge[e as usize], groups.of_face[f as usize])
            && !self.excluded(ends, corners)
    }

    /// Whether the parts of two faces may collide: false for two bodies, and for regions that ignore each
    /// other or themselves.
    ///
    /// # Panics
    /// If there is no such face.
    #[must_use]
    pub fn guards_face_parts(&self, faces: [u32; 2]) -> bool {
        let [f, g] = faces.map(|f| self.groups.of_face[f as usize]);
        self.groups.gated.interact(f, g)
    }

    /// Whether the gate guards the same pairs of two surfaces, id by id; false also for regions that are
    /// numbered otherwise. If not, what intersected unguarded may be guarded now, so the state has to be
    /// inspected ([`Gate::inspect`](crate::gate::Gate::inspect)).
    #[must_use]
    pub fn guards_same_pairs(&self, other: &Self) -> bool {
        // Without `..`, so that a new field does not compile until it is classified.
        let Self {
            topology,
            part,
            kinematic,
            exclusions,
            groups,
            // Distances and sides, or what follows from the others.
            radius: _,
            half_scr: _,
            rounding: _,
            is_excluded: _,
            representatives: _,
            rest: _,
            leaves: _,
            layers: _,
            authored_regions: _,
        } = self;
        *topology == other.topology
            && *part == other.part
            && *kinematic == other.kinematic
            && *exclusions == other.exclusions
            && groups.guard_same_pairs(&other.groups)
    }

    /// Whether a vertex belongs to a body (a kinematic part); false for ids out of range.
    #[must_use]
    pub fn is_body(&self, vertex: u32) -> bool {
        self.part.get(vertex as usize).is_some_and(|&part| self.kinematic[usize::from(part)])
    }

    /// By vertex, whether it belongs to a body.
    pub fn bodies(&self) -> impl Iterator<Item = bool> {
        self.part.iter().map(|&part| self.kinematic[usize::from(part)])
    }

    /// Whether two vertices belong to one cloth or body.
    pub(crate) fn same_part(&self, a: u32, b: u32) -> bool {
        self.part[a as usize] == self.part[b as usize]
    }

    /// Whether a face represents one of its features for a vertex that is closest to it, so that each feature
    /// makes one contact.
    ///
    /// It is the face that owns the feature (Lewin 4.5) or, where regions meet, the first face that collides
    /// with the vertex.
    #[inline]
    pub(crate) fn stands_for(&self, vertex: u32, face: u32, feature: TriangleFeature) -> bool {
        let (f, owned) = (face as usize, self.representatives[face as usize]);
        let (group, faces, owns) = match feature {
            TriangleFeature::Face => return true,
            TriangleFeature::Edge(k) => {
                let e = self.topology.face_edges()[f][usize::from(k)] as usize;
                (self.groups.of_edge[e], self.topology.edge_faces(e), owned.owns_edge(k.into()))
            }
            TriangleFeature::Vertex(k) => {
                let v = self.topology.faces()[f][usize::from(k)] as usize;
                (self.groups.of_vertex[v], self.topology.vertex_faces(v), owned.owns_vertex(k.into()))
            }
        };
        if group == self.groups.of_face[f] {
            return owns;
        }
        let of_vertex = self.groups.of_vertex[vertex as usize];
        let collides =
            |f: &&u32| self.groups.full_mesh.interact(of_vertex, self.groups.of_face[**f as usize]);
        faces.iter().find(collides) == Some(&face)
    }

    /// Whether some vertex of `a` and some vertex of `b` form an excluded pair.
    #[inline(always)]
    pub(crate) fn excluded(&self, a: &[u32], b: &[u32]) -> bool {
        !self.exclusions.is_empty() && self.is_pair_excluded(a, b)
    }

    fn is_pair_excluded(&self, a: &[u32], b: &[u32]) -> bool {
        // Most vertices are in no excluded pair.
        let some = |vertices: &[u32]| vertices.iter().any(|&v| self.is_excluded[v as usize]);
        some(a)
            && some(b)
            && a.iter()
                .any(|&a| b.iter().any(|&b| self.exclusions.binary_search(&[a.min(b), a.max(b)]).is_ok()))
    }
}

fn check_desc(desc: &SurfaceDesc<'_>) -> Result<(), SurfaceError> {
    let count = desc.rest.len();
    check_lengths(desc, count).and_then(|()| check_values(desc, count))
}

fn check_lengths(desc: &SurfaceDesc<'_>, expected: usize) -> Result<(), SurfaceError> {
    let lengths =
        [("radius", desc.radius.len()), ("half_scr", desc.half_scr.len()), ("part", desc.part.len())];
    match lengths.into_iter().find(|&(_, got)| got != expected) {
        Some((name, got)) => Err(SurfaceError::Length { name, got, expected }),
        None => Ok(()),
    }
}

fn check_values(desc: &SurfaceDesc<'_>, count: usize) -> Result<(), SurfaceError> {
    for (name, values) in [("radius", desc.radius), ("half_scr", desc.half_scr)] {
        if let Some(vertex) = values.iter().position(|r| !(r.is_finite() && *r >= 0.0)) {
            return Err(SurfaceError::Radius { name, vertex, value: values[vertex] });
        }
    }
    if let Some(v) = desc.rest.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(SurfaceError::Rest(v));
    }
    let parts = desc.kinematic.len();
    if let Some(&p) = desc.part.iter().find(|&&p| usize::from(p) >= parts) {
        return Err(SurfaceError::Index { name: "part", index: p.into(), count: parts });
    }
    if let Some(&v) = desc.exclusions.iter().flatten().find(|&&v| v as usize >= count) {
        return Err(SurfaceError::Index { name: "exclusions", index: v as usize, count });
    }
    Ok(())
}
