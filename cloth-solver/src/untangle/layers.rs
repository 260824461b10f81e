//! Which of two layers lies outside, before anything is moved.

use std::collections::BTreeMap;

use cloth_contacts::ContactCache;

use super::UntangleGarment;
use crate::Simulation;

/// How far (m, of the scaled garments) a vertex is from the layer that it is compared with: the depth to
/// which layers that have crossed are brought back, and as far on the other side.
const REACH: f32 = 0.04;

/// Where two garments with different layers lie at the start: of the vertices of each that are near the other
/// and face the same way, how many are on its right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSides {
    /// The number of the garment with the lower layer.
    pub inner: usize,
    /// The number of the garment with the higher layer.
    pub outer: usize,
    /// Vertices on the side where their layer belongs.
    pub right: usize,
    /// Vertices on the other side.
    pub wrong: usize,
}

impl LayerSides {
    /// Whether two thirds are on the wrong side: the order is reversed, or the faces point inward.
    #[must_use]
    pub fn is_reversed(&self) -> bool {
        self.wrong > 0 && self.wrong >= 2 * self.right
    }
}

/// The sides of all pairs of garments with different layers that are near each other.
pub(super) fn layer_sides(simulation: &Simulation, garments: &[UntangleGarment<'_>]) -> Vec<LayerSides> {
    let (surface, x) = (simulation.surface(), simulation.positions());
    // An error says that there are no layers.
    let Ok(near) = ContactCache::compute(surface, x, REACH) else { return Vec::new() };
    let count = |garment: &UntangleGarment<'_>| garment.x.len();
    let garment_of: Vec<usize> =
        garments.iter().enumerate().flat_map(|(g, garment)| vec![g; count(garment)]).collect();
    let mut sides: BTreeMap<[usize; 2], LayerSides> = BTreeMap::new();
    for pair in near.pairs() {
        let [a, b, c] = surface.topology().faces()[pair.face as usize];
        let [vertex, face] = [pair.vertex, a].map(|v| garment_of[v as usize]);
        let [p, a, b, c] = [pair.vertex, a, b, c].map(|v| x[v as usize]);
        let height = (b - a).cross(&(c - a)).dot(&(p - a));
        let is_outer = garments[vertex].layer > garments[face].layer;
        let [inner, outer] = if is_outer { [face, vertex] } else { [vertex, face] };
        let found = sides.entry([inner, outer]).or_insert(LayerSides { inner, outer, right: 0, wrong: 0 });
        if (height > 0.0) == is_outer { found.right += 1 } else { found.wrong += 1 }
    }
    sides.into_values().collect()
}
