//! Packed snapshots: thousands of states of one scene in the memory of what differs.

use std::mem::take;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use crate::Snapshot;
use crate::state::State;

/// A snapshot without what follows from another one of the same scene, the base.
///
/// Positions, velocities, contacts and the like are kept. Of targets and masses, which callers seldom change,
/// only what differs is: 24 bytes a vertex where a [`Snapshot`] has 56, then 16 bytes for each target and 8
/// for each mass that the base does not have. [`PackedSnapshot::unpack`] returns every bit.
#[derive(Clone, Debug)]
pub struct PackedSnapshot {
    /// Its lists of targets and masses are empty.
    kept: Snapshot,
    base: Arc<Snapshot>,
    /// Targets (m) at the start of the step that are not the positions, and those at its end that are not
    /// those of the base.
    targets: [Differing<Point3<f32>>; 2],
    /// Inverse masses (1/kg) that are not those of the base: in the step, and awake.
    masses: [Differing<f32>; 2],
}

/// The values of a list that differ from those expected, with their places.
type Differing<T> = Box<[(u32, T)]>;

impl Snapshot {
    /// Packs the snapshot of a simulation. The closer the base is to it, the smaller it gets; a base of
    /// another size is not used.
    #[must_use]
    pub fn pack(mut self, base: &Arc<Self>) -> PackedSnapshot {
        let fits = base.checkpoint.state.x.len() == self.checkpoint.state.x.len();
        let base = if fits { Arc::clone(base) } else { Arc::new(self.clone()) };
        let expected = &base.checkpoint.state;
        let State { x, kinematic_t0, kinematic_t1, inv_mass, sleep, .. } = &mut self.checkpoint.state;
        let is_place = |a: &Point3<f32>, b: &Point3<f32>| a.coords.map(f32::to_bits) == b.coords.map(f32::to_bits);
        let is_mass = |a: &f32, b: &f32| a.to_bits() == b.to_bits();
        let targets = [
            differing(take(kinematic_t0), x, is_place),
            differing(take(kinematic_t1), &expected.kinematic_t1, is_place),
        ];
        let masses = [
            differing(take(inv_mass), &expected.inv_mass, is_mass),
            differing(take(&mut sleep.inv_mass), &expected.sleep.inv_mass, is_mass),
        ];
        PackedSnapshot { kept: self, base, targets, masses }
    }
}

impl PackedSnapshot {
    /// The snapshot that was packed.
    #[must_use]
    pub fn unpack(&self) -> Snapshot {
        let mut snapshot = self.kept.clone();
        let expected = &self.base.checkpoint.state;
        let state = &mut snapshot.checkpoint.state;
        state.kinematic_t0 = complete(&self.targets[0], &state.x);
        state.kinematic_t1 = complete(&self.targets[1], &expected.kinematic_t1);
        state.inv_mass = complete(&self.masses[0], &expected.inv_mass);
        state.sleep.inv_mass = complete(&self.masses[1], &expected.sleep.inv_mass);
        snapshot
    }

    /// Simulated time (s).
    #[must_use]
    pub fn time(&self) -> f64 {
        self.kept.checkpoint.state.time
    }

    /// Positions (m), as [`Simulation::positions`](crate::Simulation::positions).
    #[must_use]
    pub fn positions(&self) -> &[Point3<f32>] {
        &self.kept.checkpoint.state.x
    }

    /// Velocities (m/s), as [`Simulation::velocities`](crate::Simulation::velocities).
    #[must_use]
    pub fn velocities(&self) -> &[Vector3<f32>] {
        &self.kept.checkpoint.state.v
    }

    /// A hash of positions and velocities, as [`Simulation::state_hash`](crate::Simulation::state_hash).
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.kept.checkpoint.state.hash()
    }
}

fn differing<T>(own: Vec<T>, expected: &[T], is_same: impl Fn(&T, &T) -> bool) -> Differing<T> {
    let pairs = (0..).zip(own).zip(expected);
    pairs.filter(|((_, value), expected)| !is_same(value, expected)).map(|(own, _)| own).collect()
}

fn complete<T: Copy>(differing: &Differing<T>, expected: &[T]) -> Vec<T> {
    let mut values = expected.to_vec();
    differing.iter().for_each(|&(place, value)| values[place as usize] = value);
    values
}

#[cfg(test)]
mod tests {
    use cloth_geom::fixtures;
    use nalgebra::Point3;

    use super::*;
    use crate::{ClothDesc, ClothId, Material, Settings, Simulation, SimulationBuilder, Thickness};

    fn sheet(count: usize) -> Simulation {
        let mesh = fixtures::sheet(count, count, [0.4, 0.4]).expect("a sheet").mesh;
        let mut builder = SimulationBuilder::new(Settings::game());
        builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.016, 0.4)));
        builder.build().expect("a sheet")
    }

    #[test]
    fn a_packed_snapshot_keeps_every_bit_and_half_the_bytes() {
        let mut sim = sheet(9);
        let base = Arc::new(sim.snapshot());
        sim.pin_all(ClothId(0), &[0, 8]).expect("two vertices");
        sim.move_pin(ClothId(0), 0, Point3::new(-0.0, 0.0, 0.0)).expect("a pin");
        sim.step(1.0 / 60.0).expect("a step");
        sim.move_pin(ClothId(0), 8, Point3::new(0.1, 0.0, -0.0)).expect("a pin");
        let snapshot = sim.snapshot();
        let packed = snapshot.clone().pack(&base);
        assert_eq!(packed.unpack().difference(&snapshot), None);
        let differing = |list: &Differing<_>| list.iter().map(|(v, _)| *v).collect::<Vec<_>>();
        assert_eq!(packed.targets.each_ref().map(differing), [vec![], vec![0, 8]]);
        assert_eq!(packed.masses.each_ref().map(|list| list.len()), [2, 2]);
    }

    #[test]
    fn a_base_of_another_scene_loses_nothing() {
        let snapshot = sheet(7).snapshot();
        let packed = snapshot.clone().pack(&Arc::new(sheet(5).snapshot()));
        assert_eq!(packed.unpack().difference(&snapshot), None);
    }
}
