//! Patches: the aggregates of vertices that are the nodes of a coarse level, and the springs between them.

use cloth_geom::{Aabb, DisjointSets};
use nalgebra::{Point3, Vector3};

use super::CoarseInput;
use crate::bodies::{Packed, difference, packed, point};
use crate::constraints::stretch::Spring;

/// The patches of a level.
pub(super) struct Patches {
    /// The node of each vertex, numbered by their first vertices.
    pub(super) node_of: Vec<u32>,
    /// Inverse mass of each node (1/kg).
    pub(super) inv_mass: Vec<f32>,
    /// Each vertex's mass share of its node; equal shares where nothing is free.
    pub(super) shares: Vec<f32>,
    /// The springs between nodes.
    pub(super) springs: Vec<Spring>,
    /// Centres of mass at rest (m).
    centre: Vec<Packed>,
}

impl Patches {
    /// Patches of about `edges` edges across.
    pub(super) fn new(input: &CoarseInput<'_>, edges: f32) -> Self {
        let (node_of, count) = number(input, edges * input.edge_length);
        let inv_mass = inverse_masses(&node_of, count, input.inv_mass);
        let mut counts = vec![0u32; count];
        node_of.iter().for_each(|&node| counts[node as usize] += 1);
        let share = |(v, &node): (usize, &u32)| match (inv_mass[node as usize] > 0.0, input.inv_mass[v] > 0.0)
        {
            (true, true) => inv_mass[node as usize] / input.inv_mass[v],
            (true, false) => 0.0,
            (false, _) => 1.0 / counts[node as usize] as f32,
        };
        let shares: Vec<f32> = node_of.iter().enumerate().map(share).collect();
        let mut centre = vec![Packed::zeros(); count];
        for ((p, &node), &share) in input.rest.iter().zip(&node_of).zip(&shares) {
            centre[node as usize] += packed(&p.coords) * share;
        }
        let mut patches = Self { node_of, inv_mass, shares, springs: Vec::new(), centre };
        patches.springs = patches.node_springs(input);
        patches
    }

    /// The centres (m) at rest.
    pub(super) fn centres(&self) -> Vec<Point3<f32>> {
        self.centre.iter().map(point).collect()
    }

    /// The number of springs between movable patches.
    pub(super) fn free_springs(&self) -> usize {
        let free = |node: u32| self.inv_mass[node as usize] > 0.0;
        self.springs.iter().filter(|spring| free(spring.a) && free(spring.b)).count()
    }

    /// The springs between patches: all edges across, in parallel; in series over the distance of the
    /// centres.
    ///
    /// A patch with a fold that will unfold has none: its centre will move.
    fn node_springs(&self, input: &CoarseInput<'_>) -> Vec<Spring> {
        let normals = self.normals(input);
        let mut unfolds = vec![false; self.inv_mass.len()];
        input.unfolding.iter().for_each(|&v| unfolds[self.node_of[v as usize] as usize] = true);
        let mut across: Vec<([u32; 2], Spring)> = input
            .springs
            .iter()
            .map(|s| ([self.node_of[s.a as usize], self.node_of[s.b as usize]], *s))
            .filter(|(nodes, _)| nodes[0] != nodes[1] && !nodes.iter().any(|&node| unfolds[node as usize]))
            .map(|([a, b], s)| ([a.min(b), a.max(b)], s))
            .collect();
        across.sort_by_key(|(nodes, s)| (*nodes, s.a, s.b));
        let joined = across.chunk_by(|p, q| p.0 == q.0).map(|springs| {
            let [a, b] = springs[0].0;
            let rest = self.rest_length([a, b], &normals, springs, input);
            let stiffness: f32 = springs.iter().map(|(_, s)| s.rest / s.compliance).sum::<f32>() / rest;
            Spring { a, b, rest, compliance: 1.0 / stiffness }
        });
        joined.filter(|s| s.rest.is_finite() && s.compliance.is_finite()).collect()
    }

    /// The distance of two centres along the cloth: the chord, bent open by the angle of the patches'
    /// normals, and scaled by what the pose stretches the edges between them.
    fn rest_length(
        &self,
        [a, b]: [u32; 2],
        normals: &[Vector3<f32>],
        springs: &[([u32; 2], Spring)],
        input: &CoarseInput<'_>,
    ) -> f32 {
        let chord = difference(&self.centre[b as usize], &self.centre[a as usize]).norm();
        let cosine = normals[a as usize].dot(&normals[b as usize]).clamp(-1.0, 1.0);
        let sine_of_half = (0.5 * (1.0 - cosine)).sqrt();
        let bend = if sine_of_half > 1e-3 { libm::asinf(sine_of_half) / sine_of_half } else { 1.0 };
        let posed: f32 =
            springs.iter().map(|(_, s)| (input.rest[s.a as usize] - input.rest[s.b as usize]).norm()).sum();
        let wanted: f32 = springs.iter().map(|(_, s)| s.rest).sum();
        chord * bend * if posed > 0.0 { wanted / posed } else { 1.0 }
    }

    fn normals(&self, input: &CoarseInput<'_>) -> Vec<Vector3<f32>> {
        let mut normals = vec![Vector3::zeros(); self.inv_mass.len()];
        for f in input.faces {
            let [a, b, c] = f.map(|v| input.rest[v as usize]);
            let normal = (b - a).cross(&(c - a));
            f.iter().for_each(|&v| normals[self.node_of[v as usize] as usize] += normal);
        }
        normals.iter().map(|n| n.try_normalize(0.0).unwrap_or_default()).collect()
    }
}

/// Inverse masses (1/kg) of `count` nodes: those of their free parts together; zero where there are none.
pub(super) fn inverse_masses(node_of: &[u32], count: usize, inv_mass: &[f32]) -> Vec<f32> {
    let mut of_nodes = vec![0.0; count];
    let masses = node_of.iter().zip(inv_mass).filter(|&(_, &w)| w > 0.0);
    masses.for_each(|(&node, &w)| of_nodes[node as usize] += 1.0 / w);
    of_nodes.iter_mut().filter(|m| **m > 0.0).for_each(|m| *m = 1.0 / *m);
    of_nodes
}

/// The patch of each vertex, and the number of patches: vertices in one cell of a grid over the rest shape,
/// joined by springs within the cell. Pinned vertices are patches by themselves.
fn number(input: &CoarseInput<'_>, size: f32) -> (Vec<u32>, usize) {
    // Of cloth, and of bodies within its size of it: what is far away changes no bit.
    let ends = input.springs.iter().flat_map(|s| [s.a, s.b]);
    let cloth = Aabb::of_points(ends.map(|v| input.rest[v as usize].cast()));
    let near = cloth.inflated((cloth.max - cloth.min).norm());
    let nearby = input.rest.iter().filter(|p| near.contains(&p.cast()));
    let corner = nearby.fold(Point3::from([f32::INFINITY; 3]), |m, p| m.inf(p));
    // Half an edge off, so that vertices of a regular grid never lie on the border of a cell.
    let cell = |p: &Point3<f32>| (p - corner).map(|c| ((c + 0.5 * input.edge_length) / size).floor() as i32);
    let cells: Vec<Vector3<i32>> = input.rest.iter().map(cell).collect();
    let mut joined = DisjointSets::new(cells.len());
    let free = |v: u32| input.inv_mass[v as usize] > 0.0;
    let is_within = |s: &&Spring| free(s.a) && free(s.b) && cells[s.a as usize] == cells[s.b as usize];
    for s in input.springs.iter().filter(is_within) {
        joined.join(s.a, s.b);
    }
    let mut number = vec![u32::MAX; cells.len()];
    let mut nodes = 0;
    let node_of = (0..cells.len() as u32)
        .map(|v| {
            let first = joined.find(v) as usize;
            if number[first] == u32::MAX {
                number[first] = nodes;
                nodes += 1;
            }
            number[first]
        })
        .collect();
    (node_of, nodes as usize)
}
