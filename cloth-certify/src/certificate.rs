//! What was proved of a motion, what was changed, and with which impulses.

use cloth_contacts::Coordinate;
use cloth_contacts::gate::{Gate, GateStats, ReleasedPair};
use cloth_geom::{DisjointSets, Topology};
use nalgebra::Vector3;

use crate::InputError;
use crate::input::check_length;

/// A tangle: pairs that may intersect until they have come apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exempt {
    /// Number of vertices on either side; a pair is exempt if its primitives are on different sides.
    pub vertices: [usize; 2],
    /// Number of motions that had been certified when it was found: the state in which it began.
    pub since: u64,
}

impl Exempt {
    pub(crate) fn new(sides: &[Vec<u32>; 2], since: u64) -> Self {
        Self { vertices: [sides[0].len(), sides[1].len()], since }
    }
}

/// What is certified of an accepted motion.
#[derive(Clone, Copy, Debug)]
pub struct Certificate<'a, T: Coordinate = f64> {
    pub(crate) stats: GateStats,
    pub(crate) guarded_all: bool,
    pub(crate) resolved: usize,
    pub(crate) exempt: &'a [Exempt],
    pub(crate) released: &'a [ReleasedPair],
    pub(crate) changed: &'a [u32],
    pub(crate) inv_mass: &'a [T],
    pub(crate) changes: &'a Changes,
}

impl<'a, T: Coordinate> Certificate<'a, T> {
    /// Whether no pair that the mesh guards was exempt, released or touching: nothing at all touched anything
    /// in this motion. If [`Certificate::near`] is 0 as well, all of them kept the thickness.
    #[must_use]
    pub fn is_unconditional(&self) -> bool {
        self.guarded_all && self.released.is_empty()
    }

    /// The vertices whose end is not the proposed one, ascending.
    #[must_use]
    pub fn changed(&self) -> &'a [u32] {
        self.changed
    }

    /// The tangles that are left after the motion.
    #[must_use]
    pub fn exempt(&self) -> &'a [Exempt] {
        self.exempt
    }

    /// Number of tangles that came apart in the motion, whose pairs are guarded from now on.
    #[must_use]
    pub fn resolved(&self) -> usize {
        self.resolved
    }

    /// The pairs that could not be kept apart: of a kinematic part that moved into cloth that cannot give
    /// way, and those at distance zero that do not move.
    #[must_use]
    pub fn released(&self) -> &'a [ReleasedPair] {
        self.released
    }

    /// Number of guarded pairs that did not have to keep the thickness, because they started nearer than 1.01
    /// of it, or a kinematic part pressed them. They do not touch, but where they are released.
    #[must_use]
    pub fn near(&self) -> usize {
        self.stats.near
    }

    /// Counts of the tests and corrections.
    #[must_use]
    pub fn stats(&self) -> GateStats {
        self.stats
    }

    /// The impulse (kg m/s) by vertex that the correction amounts to, if the motion takes `dt` (s): what
    /// takes the proposed velocities to those of [`Certificate::update_velocities`].
    ///
    /// Where corrected pairs join free vertices only, their impulses sum to zero: what a projection takes
    /// from them is given back to all of them alike. 0 for vertices without a mass.
    pub fn impulse(&self, dt: f64) -> impl Iterator<Item = [f64; 3]> + 'a {
        let Self { changes, inv_mass, .. } = *self;
        (0..inv_mass.len()).map(move |v| {
            let inv_mass: f64 = inv_mass[v].into();
            match changes.by_vertex.get(v) {
                Some(change) if inv_mass > 0.0 => (change / (inv_mass * dt)).into(),
                _ => [0.0; 3],
            }
        })
    }

    /// The change of velocity (m/s) by vertex that [`Certificate::update_velocities`] adds, if the motion
    /// takes `dt` (s); 0 for vertices that no correction concerns.
    pub fn velocity_changes(&self, dt: f64) -> impl Iterator<Item = [f64; 3]> + 'a {
        let Self { changes, inv_mass, .. } = *self;
        (0..inv_mass.len())
            .map(move |v| changes.by_vertex.get(v).map_or([0.0; 3], |change| (change / dt).into()))
    }

    /// Changes the velocities (m/s) with which the motion was proposed to those of the accepted motion, which
    /// takes `dt` (s). Velocities of vertices that no correction concerns are not touched.
    ///
    /// # Errors
    /// If there is not one velocity a vertex; none is changed then.
    pub fn update_velocities(&self, dt: f64, v: &mut [[T; 3]]) -> Result<(), InputError> {
        check_length("v", v.len(), self.inv_mass.len())?;
        for (v, change) in v.iter_mut().zip(&self.changes.by_vertex) {
            for (v, &change) in v.iter_mut().zip(change).filter(|&(_, &change)| change != 0.0) {
                *v = T::nearest(Into::<f64>::into(*v) + change / dt);
            }
        }
        Ok(())
    }
}

/// How far (m) a correction changes where vertices go, as their velocities see it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// By vertex; empty if nothing was corrected.
    by_vertex: Vec<Vector3<f64>>,
    /// Vertices that corrected pairs join.
    zones: DisjointSets,
    is_joined: Vec<bool>,
    /// By zone: sum of mass times change (kg m), its mass (kg), and whether all of it is free.
    sums: Vec<(Vector3<f64>, f64, bool)>,
}

impl Changes {
    /// Of the last motion of a gate, which changed these vertices.
    pub(crate) fn find<C, T: Coordinate>(
        &mut self,
        gate: &Gate<C, T>,
        topology: &Topology,
        changed: &[u32],
        end: &[[T; 3]],
        inv_mass: &[T],
    ) {
        let Self { by_vertex, zones, is_joined, sums } = self;
        by_vertex.clear();
        if changed.is_empty() {
            return;
        }
        let count = end.len();
        by_vertex.resize(count, Vector3::zeros());
        for &v in changed {
            let v = v as usize;
            let wanted = gate.proposed()[v];
            by_vertex[v] = Vector3::from_fn(|k, _| end[v][k].into() - wanted[k].into());
        }
        zones.reset(count);
        is_joined.clear();
        is_joined.resize(count, false);
        for vertices in gate.corrections().iter().filter_map(|pair| pair.vertices(topology)) {
            for v in vertices {
                zones.join(vertices[0], v);
                is_joined[v as usize] = true;
            }
        }
        // What was frozen for want of anything better belongs to all that was.
        let mut others = changed.iter().filter(|&&v| !is_joined[v as usize]);
        if let Some(&first) = others.next() {
            others.for_each(|&v| zones.join(first, v));
            changed.iter().for_each(|&v| zones.join(first, v));
            changed.iter().for_each(|&v| is_joined[v as usize] = true);
        }
        sums.clear();
        sums.resize(count, (Vector3::zeros(), 0.0, true));
        let joined = |v: &u32| is_joined[*v as usize];
        for v in (0..count as u32).filter(joined) {
            let sum = &mut sums[zones.find(v) as usize];
            let inv_mass: f64 = inv_mass[v as usize].into();
            if inv_mass > 0.0 {
                *sum = (sum.0 + by_vertex[v as usize] / inv_mass, sum.1 + 1.0 / inv_mass, sum.2);
            } else {
                sum.2 = false;
            }
        }
        for v in (0..count as u32).filter(joined) {
            let (sum, mass, is_free) = sums[zones.find(v) as usize];
            if is_free {
                by_vertex[v as usize] -= sum / mass;
            }
        }
    }
}
