//! Packed snapshots: thousands of states of one scene in the memory of what differs.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::{Checkpoint, copy_contacts};
use crate::state::State;
use crate::{Simulation, Snapshot};

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
    /// Takes the snapshot anew, of a simulation as it is now, in the memory that it has.
    pub fn update(&mut self, simulation: &Simulation) {
        simulation.save_checkpoint(&mut self.checkpoint);
        self.fingerprint = Arc::clone(&simulation.fingerprint);
        self.is_foreign = false;
    }

    /// Packs the snapshot of a simulation. The closer the base is to it, the smaller it gets; a base of
    /// another size is not used.
    #[must_use]
    pub fn pack(mut self, base: &Arc<Self>) -> PackedSnapshot {
        let kept =
            Self { checkpoint: Checkpoint::default(), fingerprint: Arc::clone(&self.fingerprint), ..self };
        let (targets, masses) = <_>::default();
        let mut packed = PackedSnapshot { kept, base: Arc::clone(base), targets, masses };
        packed.update(&mut self);
        packed
    }
}

impl PackedSnapshot {
    /// Packs another snapshot of the same scene, in the memory that it has. The snapshot is as before.
    pub fn update(&mut self, snapshot: &mut Snapshot) {
        if self.base.checkpoint.state.x.len() != snapshot.checkpoint.state.x.len() {
            self.base = Arc::new(snapshot.clone());
        }
        let expected = &self.base.checkpoint.state;
        let State { x, kinematic_t0, kinematic_t1, inv_mass, sleep, .. } = &snapshot.checkpoint.state;
        let place = |p: &Point3<f32>| p.coords.map(f32::to_bits);
        let mass = |w: &f32| w.to_bits();
        self.targets =
            [differing(kinematic_t0, x, place), differing(kinematic_t1, &expected.kinematic_t1, place)];
        self.masses = [
            differing(inv_mass, &expected.inv_mass, mass),
            differing(&sleep.inv_mass, &expected.sleep.inv_mass, mass),
        ];
        let mut aside = State::default();
        swap_lists(&mut snapshot.checkpoint.state, &mut aside);
        copy(snapshot, &mut self.kept);
        swap_lists(&mut snapshot.checkpoint.state, &mut aside);
        let history = &mut self.kept.checkpoint.history;
        history.point_triangles.shrink_to_fit();
        history.edge_edges.shrink_to_fit();
    }

    /// The snapshot that was packed.
    #[must_use]
    pub fn unpack(&self) -> Snapshot {
        let mut snapshot = Snapshot::clone(&self.kept);
        self.unpack_into(&mut snapshot);
        snapshot
    }

    /// Replaces a snapshot by the one that was packed, in the memory that it has.
    pub fn unpack_into(&self, snapshot: &mut Snapshot) {
        copy(&self.kept, snapshot);
        let expected = &self.base.checkpoint.state;
        let State { x, kinematic_t0, kinematic_t1, inv_mass, sleep, .. } = &mut snapshot.checkpoint.state;
        complete(&self.targets[0], x, kinematic_t0);
        complete(&self.targets[1], &expected.kinematic_t1, kinematic_t1);
        complete(&self.masses[0], &expected.inv_mass, inv_mass);
        complete(&self.masses[1], &expected.sleep.inv_mass, &mut sleep.inv_mass);
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

fn differing<T: Copy, B: PartialEq>(own: &[T], expected: &[T], bits: impl Fn(&T) -> B) -> Differing<T> {
    let pairs = (0..).zip(own).zip(expected);
    let different = pairs.filter(|((_, own), expected)| bits(own) != bits(expected));
    different.map(|((place, &own), _)| (place, own)).collect()
}

fn complete<T: Copy>(differing: &Differing<T>, expected: &[T], values: &mut Vec<T>) {
    values.clear();
    values.extend_from_slice(expected);
    differing.iter().for_each(|&(place, value)| values[place as usize] = value);
}

/// Exchanges the lists that a packed snapshot does not have.
fn swap_lists(a: &mut State, b: &mut State) {
    std::mem::swap(&mut a.kinematic_t0, &mut b.kinematic_t0);
    std::mem::swap(&mut a.kinematic_t1, &mut b.kinematic_t1);
    std::mem::swap(&mut a.inv_mass, &mut b.inv_mass);
    std::mem::swap(&mut a.sleep.inv_mass, &mut b.sleep.inv_mass);
}

/// Copies a snapshot into the memory of another one.
fn copy(from: &Snapshot, to: &mut Snapshot) {
    let Checkpoint { state, colliders, history, cached_faces, gate } = &from.checkpoint;
    to.checkpoint.state.clone_from(state);
    to.checkpoint.colliders.clone_from(colliders);
    copy_contacts(history, &mut to.checkpoint.history);
    to.checkpoint.cached_faces.clone_from(cached_faces);
    to.checkpoint.gate.clone_from(gate);
    to.fingerprint = Arc::clone(&from.fingerprint);
    to.is_foreign = from.is_foreign;
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
        let mut snapshot = sim.snapshot();
        let mut packed = sheet(9).snapshot().pack(&base);
        packed.update(&mut snapshot);
        assert_eq!(packed.unpack().difference(&sim.snapshot()), None);
        assert_eq!(snapshot.difference(&sim.snapshot()), None);
        let places = |list: &Differing<_>| list.iter().map(|(v, _)| *v).collect::<Vec<_>>();
        assert_eq!(packed.targets.each_ref().map(places), [vec![], vec![0, 8]]);
        assert_eq!(packed.masses.each_ref().map(|list| list.len()), [2, 2]);
    }

    #[test]
    fn a_base_of_another_scene_loses_nothing() {
        let snapshot = sheet(7).snapshot();
        let packed = snapshot.clone().pack(&Arc::new(sheet(5).snapshot()));
        assert_eq!(packed.unpack().difference(&snapshot), None);
    }
}
