//! The contacts of a cache in each step: its pairs followed and measured, four at a time.
//!
//! `reference.rs` does it pair by pair, to the same bits.

use super::foot_points::FootPoints;
use super::{CachedPair, ContactCache};
use crate::layers::OuterPrimitive;
use crate::{Contacts, Motion, PointTriangle, Side, Surface};
use cloth_geom::MapInline;
use cloth_geom::lanes::{
    Lanes, Lanes3, Simd, SimdBase, dot, gather, greater, lanes, lesser, minus, plus_scaled, scaled, splat,
};

/// Gives the contacts of a cache in each step.
#[derive(Clone, Debug, Default)]
pub struct CachedContacts {
    pub(super) cache: ContactCache,
    quads: Vec<PairQuad>,
    /// The face that each pair is at now.
    pub(super) faces: Vec<u32>,
    /// The faces of the same layer across the edge opposite to each corner; `u32::MAX` for none.
    pub(super) across: Vec<[u32; 3]>,
    /// Whether pairs follow their vertices.
    pub(super) follow: bool,
    /// Whether sides are as found, and not as the order of layers says.
    pub(super) geometric_side: bool,
}

/// What no step changes of four pairs; the last of fewer pairs is repeated.
#[derive(Clone, Copy, Debug)]
struct PairQuad {
    vertex: [u32; 4],
    /// 1 if the vertex lies outside, -1 if the face does; NaN for a pair that is not of two layers.
    sign: Lanes,
    /// Radius of the vertex (m).
    radius: Lanes,
    half_scr: Lanes,
    /// Distance (m) at which the pair was authored.
    distance: Lanes,
}

impl PairQuad {
    fn new(surface: &Surface, pairs: &[CachedPair]) -> Self {
        let pairs = [0, 1, 2, 3].map(|l: usize| pairs[l.min(pairs.len() - 1)]);
        // Pairs never leave their layer, so the order of the two is that of the start.
        let sign = |p: CachedPair| {
            surface.layers.point_triangle([p.vertex, p.face]).map_or(f32::NAN, OuterPrimitive::sign)
        };
        let vertex = pairs.map(|p| p.vertex);
        Self {
            vertex,
            sign: lanes(pairs.map(sign)),
            radius: lanes(vertex.map(|v| surface.radius[v as usize])),
            half_scr: lanes(vertex.map(|v| surface.half_scr[v as usize])),
            distance: lanes(pairs.map(|p| p.distance)),
        }
    }
}

impl CachedContacts {
    /// Prepares a cache for its surface; with `follow`, pairs move on with their vertices.
    ///
    /// # Panics
    /// If a pair names a vertex or face that the surface does not have.
    #[must_use]
    pub fn new(surface: &Surface, cache: ContactCache, follow: bool) -> Self {
        let topology = &surface.topology;
        let across = (0..topology.faces().len()).map(|f| across(surface, f as u32)).collect();
        let quads = cache.pairs.chunks(4).map(|pairs| PairQuad::new(surface, pairs)).collect();
        let mut contacts = Self { faces: Vec::new(), across, quads, cache, follow, geometric_side: false };
        contacts.reset();
        contacts
    }

    /// The same without the order of layers: each step takes sides as it finds them at its start, as between
    /// all other cloth.
    #[must_use]
    pub fn with_geometric_sides(self) -> Self {
        Self { geometric_side: true, ..self }
    }

    /// What it was made of.
    #[must_use]
    pub fn cache(&self) -> &ContactCache {
        &self.cache
    }

    /// Every pair is back at the face that it was computed for.
    pub fn reset(&mut self) {
        self.faces.clear();
        self.faces.extend(self.cache.pairs.iter().map(|pair| pair.face));
    }

    /// The face that each pair is at now: all that later contacts depend on, apart from the motion.
    #[must_use]
    pub fn faces(&self) -> &[u32] {
        &self.faces
    }

    /// Sets the face of each pair, as returned by [`Self::faces`].
    ///
    /// # Panics
    /// If the number of faces is not that of the pairs.
    pub fn set_faces(&mut self, faces: &[u32]) {
        self.faces.copy_from_slice(faces);
    }

    /// Measures all pairs at the start of a step into `out`, whose old content is replaced. Pairs that do not
    /// come within reach of each other are left out.
    ///
    /// # Panics
    /// If the motion has fewer vertices than the surface.
    pub fn measure(&mut self, surface: &Surface, motion: &Motion<'_>, out: &mut Contacts) {
        out.clear();
        for (quad, faces) in self.quads.iter().zip(self.faces.chunks_mut(4)) {
            let mut pairs = QuadContacts::new(surface, motion, quad, faces);
            if self.follow && follow(&self.across, &pairs.foot_points, faces) {
                pairs = QuadContacts::new(surface, motion, quad, faces);
            }
            if self.geometric_side {
                pairs.sign = pairs.geometric_sign();
            }
            pairs.contacts(surface, motion, faces, out);
        }
    }
}

/// Moves the pairs on whose feet have left their faces; returns whether any was moved.
#[inline]
fn follow(across: &[[u32; 3]], foot_points: &FootPoints, faces: &mut [u32]) -> bool {
    let (left, corners) = foot_points.left();
    if left == 0 {
        return false;
    }
    let mut moved = false;
    for (l, face) in faces.iter_mut().enumerate() {
        let beyond = across[*face as usize][corners[l]];
        let goes = left >> l & 1 == 1 && beyond != u32::MAX;
        *face = if goes { beyond } else { *face };
        moved |= goes;
    }
    moved
}

/// Four pairs in a step.
struct QuadContacts<'a> {
    quad: &'a PairQuad,
    /// The corners of the faces.
    corners: [[u32; 4]; 3],
    foot_points: FootPoints,
    /// On which side of their faces the vertices belong.
    sign: Lanes,
}

impl<'a> QuadContacts<'a> {
    #[inline]
    fn new(surface: &Surface, motion: &Motion<'_>, quad: &'a PairQuad, faces: &[u32]) -> Self {
        let last = faces.len() - 1;
        let at = [0, 1, 2, 3].map_inline(|l: usize| surface.topology.faces()[faces[l.min(last)] as usize]);
        let corners = [0, 1, 2].map_inline(|k| at.map_inline(|corners| corners[k]));
        let p = gather(motion.positions, quad.vertex);
        let foot_points = FootPoints::project(&p, &corners.map_inline(|v| gather(motion.positions, v)));
        Self { quad, corners, foot_points, sign: quad.sign }
    }

    /// On which side of their faces the vertices are; NaN for a pair that is not of two layers.
    #[inline]
    fn geometric_sign(&self) -> Lanes {
        let in_front = self.foot_points.height.simd_ge(0.0);
        Lanes::choose(in_front, splat(1.0), splat(-1.0)) * self.quad.sign * self.quad.sign
    }

    /// Appends the contacts of the pairs that come within reach.
    #[inline]
    fn contacts(&self, surface: &Surface, motion: &Motion<'_>, faces: &[u32], out: &mut Contacts) {
        let (quad, w) = (self.quad, &self.foot_points.weights);
        let normal = scaled(&self.foot_points.normal, self.sign);
        let gap = self.foot_points.height * self.sign;
        let d = |v: [u32; 4]| gather(motion.displacements, v);
        let of_foot = scaled(&d(self.corners[0]), w[0]);
        let of_foot = plus_scaled(&of_foot, &d(self.corners[1]), w[1]);
        let of_foot = plus_scaled(&of_foot, &d(self.corners[2]), w[2]);
        let approach = -dot(&minus(&d(quad.vertex), &of_foot), &normal);
        let of = |values: &[f32]| lanes(self.corners[0].map_inline(|v| values[v as usize]));
        let contact_distance = quad.radius + of(&surface.radius);
        let reach = contact_distance + quad.half_scr + of(&surface.half_scr);
        // Also false over a face without area, which is NaN.
        let near = self.foot_points.beside() & (gap - greater(approach, splat(0.0))).is_less(reach);
        let near = Lanes::bits(near);
        if near != 0 {
            let distance = lesser(contact_distance, quad.distance);
            self.emit(near, faces, &ContactLanes { normal, gap, distance }, out);
        }
    }

    fn emit(&self, near: u32, faces: &[u32], found: &ContactLanes, out: &mut Contacts) {
        let (normal, w) =
            (found.normal.map_inline(Lanes::numbers), self.foot_points.weights.map_inline(Lanes::numbers));
        let [sign, gap, distance] = [self.sign, found.gap, found.distance].map_inline(Lanes::numbers);
        let lanes = (0..faces.len()).filter(|l| near >> l & 1 == 1);
        out.point_triangles.extend(lanes.map(|l| PointTriangle {
            vertex: self.quad.vertex[l],
            face: faces[l],
            corners: self.corners.map_inline(|v| v[l]),
            side: if sign[l] > 0.0 { Side::Front } else { Side::Back },
            normal: normal.map_inline(|n| n[l]).into(),
            weights: w.map_inline(|w| w[l]),
            gap: gap[l],
            distance: distance[l],
        }));
    }
}

/// Data of four contacts other than their foot points.
struct ContactLanes {
    normal: Lanes3,
    gap: Lanes,
    distance: Lanes,
}

/// The faces across the edges of a face, by the corner opposite; `u32::MAX` at a border, at a
/// non-manifold edge and at the border of a layer.
fn across(surface: &Surface, face: u32) -> [u32; 3] {
    let topology = &surface.topology;
    let layer = surface.layers.of_face(face);
    std::array::from_fn(|k| {
        let opposite = topology.face_edges()[face as usize][(k + 1) % 3];
        let beyond = match *topology.edge_faces(opposite as usize) {
            [a, b] if a == face => b,
            [a, b] if b == face => a,
            _ => return u32::MAX,
        };
        if surface.layers.of_face(beyond) == layer { beyond } else { u32::MAX }
    })
}
