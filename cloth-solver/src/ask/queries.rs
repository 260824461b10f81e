//! Queries between steps: state, contacts, normals, bounds, energy, tangles.

use std::ops::Range;

use cloth_contacts::gate::{Exemption, Pair};
use cloth_contacts::particles::{PointPoint, RestConflict};
use cloth_contacts::{CachedContacts, ContactCache, Contacts, Surface};
use nalgebra::{Point3, Vector3};

use crate::constraints::attachment::AttachmentState;
use crate::gate_state::GateState;
use crate::rigid::RigidState;
use crate::{
    AcceptedMotion, ClothId, Collider, ColliderId, Cut, MeshBodyId, Release, RigidBodyState, Settings,
    Simulation, StepError, StepReport,
};

/// Weights of the faces around a vertex in its normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NormalWeights {
    /// Face area: the cheapest, smooth on even meshes.
    #[default]
    Area,
    /// Angle at the vertex: independent of the triangulation.
    Angle,
}

/// A cloth whose faces are large compared with a collider; see [`Simulation::coarse_cloths`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoarseCloth {
    /// The cloth.
    pub cloth: ClothId,
    /// The collider with the smallest radius.
    pub collider: ColliderId,
    /// The longest rest edge (m) of the cloth.
    pub longest_edge: f32,
    /// The smallest radius (m) of the collider; of a box its shortest edge.
    pub smallest_radius: f32,
    /// Whether faces can have contacts with the collider at all; see
    /// [`Settings::face_contacts`].
    pub has_face_contacts: bool,
}

/// An attachment as it is between two steps; see [`Simulation::attachment`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttachmentStatus {
    /// Its vertex in the common arrays.
    pub vertex: usize,
    /// Where it pulls to (m), at the end of the next step.
    pub target: Point3<f32>,
    /// Whether it holds; see [`Simulation::set_attachment`].
    pub holds: bool,
    /// Force (N) on the cloth, the mean over the substeps of the last step: against gravity where cloth hangs
    /// on it. Tethers that end at its vertex are part of it. Zero if it does not hold, if its vertex is
    /// pinned, and before the first step.
    pub force: Vector3<f32>,
}

impl Simulation {
    /// The cloths with a rest edge longer than half of the smallest radius of a collider: contacts of
    /// vertices let their faces be pierced. Each is listed once, with the collider that is smallest compared
    /// with it; first among those whose faces can have no contacts.
    #[must_use]
    pub fn coarse_cloths(&self) -> Vec<CoarseCloth> {
        let colliders = self.colliders.iter().enumerate().filter_map(|(index, collider)| {
            let is_rigid = self
                .assets
                .rigid_bodies
                .iter()
                .any(|body| self.scene.colliders.index(body.collider) == Some(index));
            let has_contacts = collider.shape.has_face_contacts() && !is_rigid;
            Some((index, collider.shape.smallest_radius()?, has_contacts))
        });
        let smallest =
            |a: &(usize, f32, bool), b: &(usize, f32, bool)| a.2.cmp(&b.2).then(a.1.total_cmp(&b.1));
        let cloths = self.assets.parts.iter().enumerate().take(self.scene.cloths.len());
        let coarse = cloths.filter_map(|(cloth, part)| {
            let longest_edge =
                self.assets.longest_edges.of_faces()[part.faces.clone()].iter().copied().fold(0.0, f32::max);
            let is_coarse = |&(_, radius, _): &(usize, f32, bool)| longest_edge > 0.5 * radius;
            let (index, smallest_radius, has_face_contacts) =
                colliders.clone().filter(is_coarse).min_by(smallest)?;
            Some(CoarseCloth {
                cloth: self.scene.cloth_id(cloth)?,
                collider: self.scene.collider_id(index)?,
                longest_edge,
                smallest_radius,
                has_face_contacts,
            })
        });
        coarse.collect()
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Time (s) that has been simulated since the start or the last [`Simulation::reset`].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Positions (m) of all vertices.
    #[must_use]
    pub fn positions(&self) -> &[Point3<f32>] {
        &self.state.x
    }

    /// Velocities (m/s) of all vertices.
    #[must_use]
    pub fn velocities(&self) -> &[Vector3<f32>] {
        &self.state.v
    }

    /// Faces over all vertices.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        self.assets.surface.topology().faces()
    }

    /// The collision surface of all cloths, mesh bodies and axes of guarded colliders.
    #[must_use]
    pub fn surface(&self) -> &Surface {
        &self.assets.surface
    }

    /// The contacts of the last substep.
    #[must_use]
    pub fn contacts(&self) -> &Contacts {
        &self.detection.contacts.cloth
    }

    /// Particle contacts of the last detection.
    #[must_use]
    pub fn particle_contacts(&self) -> &[PointPoint] {
        &self.detection.contacts.particles
    }

    /// Whether particle radii are too large for the mesh edges; `None` if they are not.
    #[must_use]
    pub fn rest_conflict(&self) -> Option<RestConflict> {
        self.assets.particle_rules.rest_conflict(&self.assets.surface)
    }

    /// The cached contacts, to be saved and passed to
    /// [`SimulationBuilder::set_contact_cache`](crate::SimulationBuilder::set_contact_cache) later; `None` if
    /// contacts are detected.
    #[must_use]
    pub fn contact_cache(&self) -> Option<&ContactCache> {
        self.detection.cached.as_ref().map(CachedContacts::cache)
    }

    /// The colliders with their poses at the two ends of the last step.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// The id of the cloth at a position among those that there are, in the order in which they were added.
    ///
    /// # Errors
    /// [`StepError::NotFound`] if there are not so many.
    pub fn cloth_id(&self, position: usize) -> Result<ClothId, StepError> {
        let missing = StepError::NotFound { what: "cloth", index: position, count: self.scene.cloths.len() };
        self.scene.cloth_id(position).ok_or(missing)
    }

    /// The id of the mesh body at a position among those that there are, in the order in which they were
    /// added.
    ///
    /// # Errors
    /// [`StepError::NotFound`] if there are not so many.
    pub fn mesh_body_id(&self, position: usize) -> Result<MeshBodyId, StepError> {
        let missing =
            StepError::NotFound { what: "mesh body", index: position, count: self.scene.bodies.len() };
        self.scene.mesh_body_id(position).ok_or(missing)
    }

    /// The id of the collider or rigid body at a position among those that there are, in the order in which
    /// they were added: its place in [`Simulation::colliders`].
    ///
    /// # Errors
    /// [`StepError::NotFound`] if there are not so many.
    pub fn collider_id(&self, position: usize) -> Result<ColliderId, StepError> {
        let count = self.scene.colliders.len();
        let missing = StepError::NotFound { what: "collider", index: position, count };
        self.scene.collider_id(position).ok_or(missing)
    }

    /// Number of cloths.
    #[must_use]
    pub fn cloth_count(&self) -> usize {
        self.scene.cloths.len()
    }

    /// The vertices of a cloth in the common arrays; `None` if there is no such cloth.
    #[must_use]
    pub fn cloth_vertices(&self, cloth: ClothId) -> Option<Range<usize>> {
        self.cloth_part(cloth).ok().map(|p| p.vertices.clone())
    }

    /// The vertices of a mesh body in the common arrays; `None` if there is no such body.
    #[must_use]
    pub fn body_vertices(&self, body: MeshBodyId) -> Option<Range<usize>> {
        self.body_part(body).ok().map(|p| p.vertices.clone())
    }

    /// The faces of a cloth in the common array; `None` if there is no such cloth.
    #[must_use]
    pub fn cloth_faces(&self, cloth: ClothId) -> Option<Range<usize>> {
        self.cloth_part(cloth).ok().map(|p| p.faces.clone())
    }

    /// The report of the last step.
    #[must_use]
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// A hash of the bits of all positions and velocities, the same on every machine.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.state.hash()
    }

    /// Positions (m) of a cloth, by its own vertex indices; `None` if there is no such cloth.
    #[must_use]
    pub fn cloth_positions(&self, cloth: ClothId) -> Option<&[Point3<f32>]> {
        Some(&self.state.x[self.cloth_vertices(cloth)?])
    }

    /// Velocities (m/s) of a cloth, by its own vertex indices; `None` if there is no such cloth.
    #[must_use]
    pub fn cloth_velocities(&self, cloth: ClothId) -> Option<&[Vector3<f32>]> {
        Some(&self.state.v[self.cloth_vertices(cloth)?])
    }

    /// The faces of a cloth by its own vertex indices: an index buffer for [`Simulation::cloth_positions`].
    /// `None` if there is no such cloth.
    #[must_use]
    pub fn cloth_triangles(&self, cloth: ClothId) -> Option<impl ExactSizeIterator<Item = [u32; 3]> + '_> {
        let part = self.cloth_part(cloth).ok()?;
        let first = part.vertices.start as u32;
        Some(self.faces()[part.faces.clone()].iter().map(move |face| face.map(|v| v - first)))
    }

    /// Axis-aligned bounding box (m) of a cloth as `[min, max]`; `None` if there is no such cloth or it has
    /// no vertex.
    #[must_use]
    pub fn aabb(&self, cloth: ClothId) -> Option<[Point3<f32>; 2]> {
        let positions = self.cloth_positions(cloth)?;
        let first = *positions.first()?;
        Some(positions.iter().fold([first; 2], |[min, max], p| [min.inf(p), max.sup(p)]))
    }

    /// Kinetic energy (J) of all cloths. Pinned vertices have no mass and do not count.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let moving = self.state.v.iter().zip(&self.state.sleep.inv_mass).filter(|&(_, &w)| w > 0.0);
        moving.map(|(v, &w)| 0.5 * v.cast::<f64>().norm_squared() / f64::from(w)).sum()
    }

    /// Unit normals of all vertices; zero where no face has an area.
    #[must_use]
    pub fn normals(&self, weights: NormalWeights) -> Vec<Vector3<f32>> {
        let mut normals = Vec::new();
        self.write_normals(weights, &mut normals);
        normals
    }

    /// As [`Simulation::normals`], into a buffer whose content is replaced. Allocates nothing once it is
    /// large enough.
    pub fn write_normals(&self, weights: NormalWeights, normals: &mut Vec<Vector3<f32>>) {
        normals.clear();
        normals.resize(self.state.x.len(), Vector3::zeros());
        for face in self.faces() {
            let [a, b, c] = face.map(|v| self.state.x[v as usize]);
            let area = (b - a).cross(&(c - a));
            match weights {
                NormalWeights::Area => face.iter().for_each(|&v| normals[v as usize] += area),
                NormalWeights::Angle => {
                    let normal = area.try_normalize(0.0).unwrap_or_default();
                    let angles = [angle(a, b, c), angle(b, c, a), angle(c, a, b)];
                    face.iter().zip(angles).for_each(|(&v, angle)| normals[v as usize] += normal * angle);
                }
            }
        }
        normals.iter_mut().for_each(|n| *n = n.try_normalize(0.0).unwrap_or_default());
    }

    /// Whether a cloth is asleep: at rest, and left out of the step until something disturbs it
    /// ([`Settings::sleep`](crate::Settings::sleep)).
    ///
    /// # Errors
    /// If there is no such cloth.
    pub fn is_asleep(&self, cloth: ClothId) -> Result<bool, StepError> {
        Ok(self.state.sleep.asleep[self.cloth_index(cloth)?])
    }

    /// A rigid body with what the cloth has done to it in the last step.
    ///
    /// # Errors
    /// If there is no such collider, or if it is no rigid body.
    pub fn rigid_body(&self, body: ColliderId) -> Result<RigidBodyState, StepError> {
        let (collider, slot) = self.rigid_slot(body)?;
        let RigidState { velocity, angular_velocity } = self.state.rigid[slot];
        let (impulse, angular_impulse) = self.scratch.rigid.impulse(slot);
        let pose = self.colliders[collider].pose_t1;
        Ok(RigidBodyState { pose, velocity, angular_velocity, impulse, angular_impulse })
    }

    /// Whether a collider is a rigid body.
    #[must_use]
    pub fn is_rigid_body(&self, collider: ColliderId) -> bool {
        self.scene.rigid_bodies.contains_key(&collider.0)
    }

    /// Whether an intersection `[edge, face]` of the surface belongs to a tangle, which the gate exempts.
    /// Without a gate there are no tangles.
    #[must_use]
    pub fn is_tangled(&self, hit: [u32; 2]) -> bool {
        self.gate.as_ref().is_some_and(|gated| gated.guard.gate.is_tangled(&gated.guard.surface, hit))
    }

    /// The reason why the gate does not guard a pair of primitives, at the end of the last step; `None` if it
    /// does, or without a gate.
    #[must_use]
    pub fn exemption(&self, pair: Pair) -> Option<Exemption> {
        self.gate.as_ref().and_then(|gated| gated.guard.gate.exemption(&gated.guard.surface, pair))
    }

    /// Cloth–body pairs that the gate released in the last step, by substep.
    #[must_use]
    pub fn released(&self) -> &[Release] {
        self.gate.as_ref().map_or(&[], |gated| &gated.releases)
    }

    /// The cloths that were teleported at the start of the last step, because what they are fixed to was cut;
    /// see [`Settings::teleport`](crate::Settings::teleport).
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {
        fault!(CutUnreported, &self.scratch.cuts[..])
    }

    /// The target (m) of a pinned vertex at the end of the next step: after a step, where it was to be at its
    /// end. `None` if the vertex is not pinned.
    ///
    /// # Errors
    /// If there is no such cloth or vertex.
    pub fn pin_target(&self, cloth: ClothId, vertex: u32) -> Result<Option<Point3<f32>>, StepError> {
        let v = self.vertex(cloth, vertex)?;
        Ok((self.state.sleep.inv_mass[v] == 0.0).then(|| self.state.kinematic_t1[v]))
    }

    /// An attachment, numbered as in [`Simulation::move_attachment`].
    ///
    /// # Errors
    /// If there is no such attachment.
    pub fn attachment(&self, attachment: usize) -> Result<AttachmentStatus, StepError> {
        let vertex = self.attachment_vertex(attachment)?;
        let AttachmentState { targets: [_, target], holds, force } = self.state.attachments[attachment];
        Ok(AttachmentStatus { vertex, target, holds, force })
    }

    /// What the caller keeps with the state; see [`Simulation::user_data_mut`].
    #[must_use]
    pub fn user_data(&self) -> &[f64] {
        &self.state.user_data
    }

    /// The motion of the substep that has just been taken.
    pub(crate) fn accepted_motion(&self, substep: u32) -> AcceptedMotion<'_> {
        let gate = self.gate.as_ref().map(|gate| &gate.guard.gate);
        AcceptedMotion {
            substep,
            substeps: self.settings.substeps,
            x_t0: &self.scratch.x_t0,
            x_t1: &self.state.x,
            colliders: &self.scratch.colliders,
            cuts: if substep == 0 { self.cuts() } else { &[] },
            released: gate.map_or(&[], |gate| gate.released()),
            examined: gate.and_then(|gate| gate.examined()),
        }
    }

    /// Whether an intersection `[edge, face]` of the surface belongs to a guarded pair: to no tangle, and to
    /// cloth that collides. A state that has passed the gate has none; neither has one that the gate has yet
    /// to check, after a jump or an edit. Without a gate all intersections count.
    #[must_use]
    pub fn is_certified(&self, hit: [u32; 2]) -> bool {
        let is_guarded = self.assets.surface.is_guarded_hit(hit);
        self.gate.as_ref().is_none_or(|gated| is_guarded && !gated.admits(hit) && !self.is_tangled(hit))
    }

    /// The tangles as the vertices on their two sides, each ascending; none without a gate.
    #[must_use]
    pub fn tangles(&self) -> &[[Vec<u32>; 2]] {
        self.gate.as_ref().map_or(&[], |gated| gated.guard.gate.tangles())
    }

    /// Whether the gate guards every pair that the scene lets collide: it is on, has no tangles, and nothing
    /// has come past it. False at the start, and after an instant move or a rebuild, until a step has checked
    /// the state exactly.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        self.gate.as_ref().is_some_and(GateState::is_clean)
    }
}

/// The angle (rad) at `p` between the directions to `q` and `r`, the same on every machine.
fn angle(p: Point3<f32>, q: Point3<f32>, r: Point3<f32>) -> f32 {
    let (u, v) = (q - p, r - p);
    libm::atan2f(u.cross(&v).norm(), u.dot(&v))
}

#[cfg(test)]
mod tests {
    use cloth_geom::fixtures;

    use super::*;
    use crate::{ClothDesc, Material, Settings, SimulationBuilder, Thickness};

    fn of_meshes(meshes: Vec<cloth_geom::TriMesh>) -> Simulation {
        let mut builder = SimulationBuilder::new(Settings::default());
        for mesh in meshes {
            builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.01, 0.4)));
        }
        builder.build().expect("a scene")
    }

    #[test]
    fn a_cloth_is_seen_by_its_own_numbers() {
        let sheets = [3, 4].map(|n| fixtures::sheet(n, n, [0.2, 0.2]).expect("a sheet").mesh);
        let sim = of_meshes(sheets.to_vec());
        for (id, mesh) in [ClothId(0), ClothId(1)].into_iter().zip(&sheets) {
            assert_eq!(sim.cloth_triangles(id).expect("a cloth").collect::<Vec<_>>(), mesh.faces);
            assert_eq!(sim.cloth_positions(id), Some(&mesh.positions_f32()[..]));
            let [low, high] = sim.aabb(id).expect("a cloth");
            assert!((high - low - Vector3::new(0.2, 0.0, 0.2)).norm() < 1e-6);
        }
        assert_eq!(sim.aabb(ClothId(2)), None);
    }

    #[test]
    fn kinetic_energy_is_that_of_falling_without_pins() {
        let mut sim = of_meshes(vec![fixtures::sheet(9, 9, [0.4, 0.4]).expect("a sheet").mesh]);
        sim.pin(ClothId(0), 0).expect("a vertex");
        (1..81).for_each(|v| sim.set_mass(ClothId(0), v, 0.5).expect("a mass"));
        (0..81).for_each(|v| {
            sim.set_velocity(ClothId(0), v, Vector3::new(0.0, 3.0, 4.0)).expect("a velocity");
        });
        assert!((sim.kinetic_energy() - 80.0 * 0.5 * 0.5 * 25.0).abs() < 1e-9);
    }

    #[test]
    fn ball_normals_point_outward_and_by_angle_ignore_the_triangulation() {
        let ball = fixtures::icosphere(3, 0.2).expect("a ball");
        let sim = of_meshes(vec![ball]);
        let mut buffer = vec![Vector3::x(); 3];
        for weights in [NormalWeights::Area, NormalWeights::Angle] {
            sim.write_normals(weights, &mut buffer);
            assert_eq!(buffer, sim.normals(weights));
            for (normal, p) in buffer.iter().zip(sim.positions()) {
                assert!((normal - p.coords / 0.2).norm() < 0.02, "{normal} at {p}");
            }
        }
        // A corner of a cube: one side is cut into two triangles there, the others are one each.
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
        let faces = vec![[0, 1, 4], [0, 4, 2], [0, 2, 3], [0, 3, 1]];
        let mesh = cloth_geom::TriMesh::new(corners.map(Point3::from).to_vec(), faces);
        let normals = of_meshes(vec![mesh]).normals(NormalWeights::Angle);
        assert!((normals[0] - Vector3::repeat(1.0 / 3f32.sqrt())).norm() < 1e-6, "{}", normals[0]);
    }
}
