//! The basic simulation: create, step, positions, pins, snapshots.

use std::ffi::c_char;
use std::sync::Mutex;

use cloth_solver::cloth_geom::TriMesh;
use cloth_solver::nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use cloth_solver::{
    ClothDesc, Collider, IntersectionFilter, Material, MeshBodyDesc, RestShape, Settings, Shape, Simulation,
    SimulationBuilder, Snapshot, StepError, StepReport, Teleport, Thickness,
};

use crate::handle::{self, Handle};
use crate::memory::{self, array, item, room};
use crate::status::{Fault, cloth_error, cloth_status, run};
use crate::threads::check_count;

/// Cloths, mesh bodies and colliders. One thread at a time may use it; a second one gets `CLOTH_ERROR_BUSY`.
pub struct cloth_simulation(());

impl Handle for cloth_simulation {
    type Content = Mutex<Simulation>;
    const KIND: u64 = 0x7c10_7404_51b0_1a7e;
    const NAME: &'static str = "simulation";
}

/// A fabric. Stiffness is that of the sheet, so that it does not depend on the mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_fabric {
    /// Mass per area (kg/m2), above 0.
    pub density: f32,
    /// Membrane stiffness along warp (N/m), above 0.
    pub stretch_warp: f32,
    /// Membrane stiffness along weft (N/m), above 0.
    pub stretch_weft: f32,
    /// In-plane shear stiffness (N/m).
    pub shear: f32,
    /// Bending rigidity (N m).
    pub bend: f32,
    /// Stiffness-proportional damping (s).
    pub damping: f32,
}

/// A cloth. Set it to zero, then set what there is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_cloth_desc {
    /// 3 coordinates (m) a vertex: where it starts.
    pub positions: *const f64,
    /// Number of vertices.
    pub vertex_count: usize,
    /// 3 vertices a face, counter-clockwise from outside.
    pub faces: *const u32,
    /// Number of faces.
    pub face_count: usize,
    /// 3 coordinates (m) a vertex: the shape without elastic energy. Null: where it starts.
    pub rest_positions: *const f64,
    /// A fabric by name: "cotton", "silk", "denim". Null: "cotton". Not read if `fabric` is not null.
    pub fabric_name: *const c_char,
    /// A fabric by its numbers. Null: by name.
    pub fabric: *const cloth_fabric,
    /// Distance (m) that cloth keeps from cloth, at most half the shortest edge; 0: what fits the mesh.
    pub thickness: f32,
    /// Vertices that only the caller moves.
    pub pins: *const u32,
    /// Number of them.
    pub pin_count: usize,
}

/// A mesh that only the caller moves, and that cloth collides with. Set it to zero, then set what there is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_body_desc {
    /// 3 coordinates (m) a vertex.
    pub positions: *const f64,
    /// Number of vertices.
    pub vertex_count: usize,
    /// 3 vertices a face.
    pub faces: *const u32,
    /// Number of faces.
    pub face_count: usize,
    /// Distance (m) that cloth keeps from it, as for a cloth; 0: what fits the mesh.
    pub thickness: f32,
}

/// The shape of a collider.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_shape {
    /// The half-space below y = 0.
    CLOTH_SHAPE_PLANE = 0,
    /// A ball of `radius`.
    CLOTH_SHAPE_SPHERE = 1,
    /// All points within `radius` of the segment from (0, -half_length, 0) to (0, half_length, 0).
    CLOTH_SHAPE_CAPSULE = 2,
    /// A box of `half_extents`.
    CLOTH_SHAPE_BOX = 3,
}

/// A pose: first the rotation, then the translation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_pose {
    /// Translation (m).
    pub translation: [f32; 3],
    /// Rotation as a quaternion x, y, z, w, which is normalised; all zero: none.
    pub rotation: [f32; 4],
}

/// A solid without faces. The exact guarantee does not cover it. Set it to zero, then set what there is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_collider_desc {
    /// A `cloth_shape`.
    pub shape: u32,
    /// Radius (m) of a sphere or a capsule.
    pub radius: f32,
    /// Half the length of the axis (m) of a capsule.
    pub half_length: f32,
    /// Half the edge lengths (m) of a box.
    pub half_extents: [f32; 3],
    /// Where it is.
    pub pose: cloth_pose,
    /// Coulomb friction coefficient.
    pub friction: f32,
}

/// Cost and quality of a simulation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_preset {
    /// Certified cloth at 60 Hz.
    CLOTH_PRESET_DEFAULT = 0,
    /// Half the substeps, certified as well.
    CLOTH_PRESET_GAME = 1,
    /// Twice the substeps, for final frames.
    CLOTH_PRESET_FILM = 2,
}

/// Whether a cloth is teleported where what it is fixed to is cut: where in one step its pins, or what is
/// under a cloth without pins, go farther and faster, or turn by more, than `cloth_teleport_limits` says. The
/// mesh bodies and colliders that move alike go along. Otherwise that motion is swept as any other.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_teleport {
    /// As the preset says: `CLOTH_PRESET_GAME` teleports, the others do not.
    CLOTH_TELEPORT_PRESET = 0,
    /// It is.
    CLOTH_TELEPORT_ON = 1,
    /// It is not.
    CLOTH_TELEPORT_OFF = 2,
}

/// From when on a motion is a cut: if the middle goes farther than both `metres` and `sides` and faster than
/// `speed`, or if it turns by more than `degrees`, and if in the step before it did neither. Each is at least
/// 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_teleport_limits {
    /// Distance (m).
    pub metres: f32,
    /// Distance in longest sides of the box around the cloth at its start.
    pub sides: f32,
    /// Speed (m/s) over the step.
    pub speed: f32,
    /// Angle of the turn (degrees).
    pub degrees: f32,
}

/// A simulation. Set it to zero, then set what there is. It is copied: the arrays are not needed after the
/// call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_simulation_desc {
    /// The cloths, which are numbered from 0.
    pub cloths: *const cloth_cloth_desc,
    /// Number of them.
    pub cloth_count: usize,
    /// The mesh bodies, which are numbered from 0.
    pub bodies: *const cloth_body_desc,
    /// Number of them.
    pub body_count: usize,
    /// The colliders, which are numbered from 0.
    pub colliders: *const cloth_collider_desc,
    /// Number of them.
    pub collider_count: usize,
    /// A `cloth_preset`.
    pub preset: u32,
    /// Substeps of a step; 0: those of the preset.
    pub substeps: u32,
    /// 3 numbers (m/s2). Null: (0, -9.81, 0).
    pub gravity: *const f32,
    /// Threads of a step, up to `CLOTH_MAX_THREADS`, which the simulation owns; 0 and 1: the calling thread.
    /// Results have equal bits for any number.
    pub threads: u32,
    /// A `cloth_teleport`.
    pub teleport: u32,
    /// From when on, with `CLOTH_TELEPORT_ON`. Null: 1 m, 1 longest side, 60 m/s, 90 degrees.
    pub teleport_limits: *const cloth_teleport_limits,
}

/// What happened in a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_step_report {
    /// Time (s) that has been simulated.
    pub time: f64,
    /// 1 if the gate certified every substep without exception: at its end no cloth intersects itself,
    /// another cloth or a mesh body, and none passed through in between. 0 while something is tangled or was
    /// released, and where `cuts` is not 0: what was certified is the motion after the cut.
    pub is_certified: u8,
    /// 1 if the straight motion from the last step to this one is certified too.
    pub certified_chord: u8,
    /// Substeps taken; 0 if everything sleeps.
    pub substeps: u32,
    /// Cloths asleep.
    pub sleeping: usize,
    /// Contacts of cloth with cloth and mesh bodies in the last substep.
    pub contacts: usize,
    /// Contacts with colliders in the last substep.
    pub collider_contacts: usize,
    /// Vertices whose motion the gate changed, in the substep with the most.
    pub modified_vertices: usize,
    /// Vertices that it froze, in the substep with the most.
    pub frozen_vertices: usize,
    /// Pairs of cloth and body that it released, because neither side could be stopped.
    pub released: usize,
    /// Tangles at the end.
    pub tangles: usize,
    /// Largest distance (m) of a pinned vertex from its target.
    pub pin_lag: f32,
    /// Cloths that were teleported at its start; see `cloth_teleport`.
    pub cuts: usize,
}

/// Builds a simulation. `*simulation` is null after an error, which is `CLOTH_ERROR_ARGUMENT` for whatever
/// the description does not allow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_create(
    desc: *const cloth_simulation_desc,
    simulation: *mut *mut cloth_simulation,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::create(("simulation", simulation), error, || Ok(Mutex::new(build(item("desc", desc)?)?)))
    }
}

/// Frees a simulation. Null is allowed. No call may be using it. Threads that it owns end soon after.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_destroy(simulation: *mut cloth_simulation) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers, and uses the handle for the last time.
    unsafe { run(std::ptr::null_mut(), || handle::destroy(simulation)) }
}

/// Advances by `dt` (s), which may differ from step to step. Pins, bodies and colliders move on straight
/// lines from where they are to where they were told to be at the end, except in a cut (`cloth_teleport`).
/// `report` may be null.
///
/// After an error nothing has changed: `CLOTH_ERROR_ARGUMENT` for a `dt` that is not finite and above 0,
/// `CLOTH_ERROR_STEP` if the step diverged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_step(
    simulation: *mut cloth_simulation,
    dt: f32,
    report: *mut cloth_step_report,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            memory::check_buffer("report", report, room(report))?;
            if !(dt.is_finite() && dt > 0.0) {
                return Err(Fault::argument(format!("`dt` is {dt} s; it must be finite and above 0")));
            }
            let failed = |error: StepError| Fault::new(cloth_status::CLOTH_ERROR_STEP, error);
            let done = *sim.step(dt).map_err(failed)?;
            memory::fill("report", report, room(report), &[summary(&done, sim.time())])
        })
    }
}

/// Points `*positions` to 3 coordinates (m) for each of `*vertex_count` vertices: those of the cloths in
/// their order, then those of the bodies. The memory is of the simulation: it may be read until the next call
/// that takes the simulation as not `const`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_get_positions(
    simulation: *const cloth_simulation,
    positions: *mut *const f32,
    vertex_count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            memory::check_place("vertex_count", vertex_count)?;
            memory::write("positions", positions, sim.positions().as_ptr().cast())?;
            memory::write("vertex_count", vertex_count, sim.positions().len())
        })
    }
}

/// Writes the positions (m; 3 coordinates a vertex) of a cloth, for as many vertices as `capacity` says;
/// `*vertex_count` is how many it has. `positions` may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_copy_positions(
    simulation: *const cloth_simulation,
    cloth: usize,
    positions: *mut f32,
    capacity: usize,
    vertex_count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let all = sim.cloth_positions(sim.cloth_id(cloth)?).unwrap_or_default();
            memory::fill_counted(("positions", positions.cast::<Point3<f32>>(), capacity), vertex_count, all)
        })
    }
}

/// Counts the intersections of cloth with itself, other cloth and mesh bodies in the current state, exactly:
/// edges and faces that meet, faces that lie flat on their neighbour, and faces that lie on others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_count_intersections(
    simulation: *const cloth_simulation,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let found = sim.intersections(IntersectionFilter::CLOTH)?;
            let all = found.count() + found.flat_folds.len() + found.doubled_faces.len();
            memory::write("count", count, all)
        })
    }
}

/// A hash of the bits of all positions and velocities, the same on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_get_hash(
    simulation: *const cloth_simulation,
    hash: *mut u64,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { handle::call(simulation, error, |sim| memory::write("hash", hash, sim.state_hash())) }
}

/// Pins vertices of a cloth where they are. All indices are checked before anything changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_pin(
    simulation: *mut cloth_simulation,
    cloth: usize,
    vertices: *const u32,
    vertex_count: usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let vertices = array("vertices", vertices, vertex_count)?;
            Ok(sim.pin_all(sim.cloth_id(cloth)?, vertices)?)
        })
    }
}

/// Frees vertices of a cloth; those that are not pinned are unchanged. All indices are checked before
/// anything changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_unpin(
    simulation: *mut cloth_simulation,
    cloth: usize,
    vertices: *const u32,
    vertex_count: usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let vertices = array("vertices", vertices, vertex_count)?;
            Ok(sim.unpin_all(sim.cloth_id(cloth)?, vertices)?)
        })
    }
}

/// Moves a pinned vertex of a cloth to `target` (m; 3 coordinates) during the next step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_move_pin(
    simulation: *mut cloth_simulation,
    cloth: usize,
    vertex: u32,
    target: *const f32,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let target = Point3::from(*item("target", target.cast::<[f32; 3]>())?);
            Ok(sim.move_pin(sim.cloth_id(cloth)?, vertex, target)?)
        })
    }
}

/// Moves the vertices of a mesh body to `positions` (m; 3 coordinates a vertex) during the next step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_move_body(
    simulation: *mut cloth_simulation,
    body: usize,
    positions: *const f32,
    vertex_count: usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let positions = array("positions", positions.cast::<Point3<f32>>(), vertex_count)?;
            Ok(sim.move_mesh_body(sim.mesh_body_id(body)?, positions)?)
        })
    }
}

/// Moves a collider to a pose during the next step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_move_collider(
    simulation: *mut cloth_simulation,
    collider: usize,
    pose: *const cloth_pose,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let pose = isometry(item("pose", pose)?)?;
            Ok(sim.move_collider(sim.collider_id(collider)?, pose)?)
        })
    }
}

/// Moves a cloth rigidly and at once, with its pins and their targets; velocities turn with it. Nothing is
/// swept, and intersections where it arrives become tangles. `motion` turns about the origin, then
/// translates. `CLOTH_ERROR_ARGUMENT` if that is not finite, or takes a vertex beyond 1e7 m; nothing has
/// changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_teleport(
    simulation: *mut cloth_simulation,
    cloth: usize,
    motion: *const cloth_pose,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let motion = isometry(item("motion", motion)?)?;
            Ok(sim.teleport(sim.cloth_id(cloth)?, &motion)?)
        })
    }
}

/// Moves everything rigidly and at once, as `cloth_simulation_teleport` one cloth: cloths, mesh bodies and
/// colliders, with all targets. Contacts and tangles stay what they are. For a floating origin, or a
/// character that is elsewhere with all it wears.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_teleport_all(
    simulation: *mut cloth_simulation,
    motion: *const cloth_pose,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| Ok(sim.teleport_all(&isometry(item("motion", motion)?)?)?))
    }
}

/// Writes the whole dynamic state as bytes, with a version; they can be restored by another process, in a
/// simulation of the same description, which continues bit for bit.
///
/// `*count` is the number of bytes; ask for it with a null buffer and capacity 0. `CLOTH_ERROR_CAPACITY` if
/// the buffer has fewer, and nothing is written then but `*count`. The number changes with every step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_snapshot(
    simulation: *const cloth_simulation,
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            memory::check_counted(("bytes", bytes, capacity), count)?;
            let snapshot = sim.snapshot().to_bytes();
            memory::write("count", count, snapshot.len())?;
            if (1..snapshot.len()).contains(&capacity) {
                let text = format!("the snapshot has {} bytes, and the buffer {capacity}", snapshot.len());
                return Err(Fault::new(cloth_status::CLOTH_ERROR_CAPACITY, text));
            }
            memory::fill("bytes", bytes, capacity, &snapshot)
        })
    }
}

/// Restores a snapshot of this simulation or of one with the same description. `CLOTH_ERROR_SNAPSHOT` if the
/// bytes are damaged or altered, of another version or of another simulation; nothing has changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_simulation_restore(
    simulation: *mut cloth_simulation,
    bytes: *const u8,
    count: usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(simulation, error, |sim| {
            let refused = |text: String| Fault::new(cloth_status::CLOTH_ERROR_SNAPSHOT, text);
            let snapshot = Snapshot::from_bytes(array("bytes", bytes, count)?);
            sim.restore(&snapshot.map_err(|e| refused(e.to_string()))?).map_err(|e| refused(e.to_string()))
        })
    }
}

impl From<StepError> for Fault {
    fn from(error: StepError) -> Self {
        Self::argument(error)
    }
}

fn summary(report: &StepReport, time: f64) -> cloth_step_report {
    let gate = &report.gate;
    cloth_step_report {
        time,
        is_certified: (report.cuts == 0 && gate.tangles == 0 && gate.released == 0).into(),
        certified_chord: gate.certified_chord.into(),
        substeps: report.substeps,
        sleeping: report.sleeping,
        contacts: report.contacts,
        collider_contacts: report.collider_contacts,
        modified_vertices: gate.modified_vertices,
        frozen_vertices: gate.frozen_vertices,
        released: gate.released,
        tangles: gate.tangles,
        pin_lag: gate.pin_lag_m,
        cuts: report.cuts,
    }
}

/// # Safety
/// The arrays of the description are as long as it says.
unsafe fn build(desc: &cloth_simulation_desc) -> Result<Simulation, Fault> {
    // SAFETY: as demanded.
    unsafe {
        let mut builder = SimulationBuilder::new(settings(desc)?);
        for (index, cloth) in array("cloths", desc.cloths, desc.cloth_count)?.iter().enumerate() {
            builder.add_cloth(cloth_from(cloth).map_err(|e| e.within("cloth", index))?);
        }
        for (index, body) in array("bodies", desc.bodies, desc.body_count)?.iter().enumerate() {
            let mesh = mesh(body.positions, body.vertex_count, body.faces, body.face_count);
            let mesh = mesh.map_err(|e| e.within("body", index))?;
            let thickness = thickness(body.thickness, &mesh);
            builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
        }
        for (index, collider) in array("colliders", desc.colliders, desc.collider_count)?.iter().enumerate() {
            builder.add_collider(collider_from(collider).map_err(|e| e.within("collider", index))?);
        }
        builder.build().map_err(Fault::argument)
    }
}

/// # Safety
/// `gravity` is null or points to 3 numbers; `teleport_limits` is null or points to them.
unsafe fn settings(desc: &cloth_simulation_desc) -> Result<Settings, Fault> {
    // By the numbers of `cloth_preset`.
    let presets = [Settings::default(), Settings::game(), Settings::film()];
    let mut settings = memory::choice("preset", desc.preset, presets)?;
    // SAFETY: as demanded.
    if let Some(gravity) = unsafe { memory::optional("gravity", desc.gravity.cast::<[f32; 3]>(), 1)? } {
        settings.gravity = Vector3::from(gravity[0]);
    }
    if desc.substeps > 0 {
        settings.substeps = desc.substeps;
    }
    // SAFETY: as demanded.
    settings.teleport = unsafe { teleport(desc, settings.teleport)? };
    settings.threads = desc.threads.max(1);
    check_count(settings.threads)?;
    Ok(settings)
}

/// # Safety
/// `teleport_limits` is null or points to them.
unsafe fn teleport(
    desc: &cloth_simulation_desc,
    preset: Option<Teleport>,
) -> Result<Option<Teleport>, Fault> {
    // SAFETY: as demanded.
    let limits = unsafe { memory::optional("teleport_limits", desc.teleport_limits, 1)? };
    let limits = limits.map_or_else(Teleport::default, |limits| {
        let cloth_teleport_limits { metres, sides, speed, degrees } = limits[0];
        Teleport { metres, sides, speed, angle: degrees.to_radians() }
    });
    // By the numbers of `cloth_teleport`.
    memory::choice("teleport", desc.teleport, [preset, Some(limits), None])
}

/// # Safety
/// The arrays of the description are as long as it says.
unsafe fn cloth_from(desc: &cloth_cloth_desc) -> Result<ClothDesc, Fault> {
    // SAFETY: as demanded.
    unsafe {
        let mesh = mesh(desc.positions, desc.vertex_count, desc.faces, desc.face_count)?;
        let rest =
            memory::optional("rest_positions", desc.rest_positions.cast::<[f64; 3]>(), desc.vertex_count)?;
        let rest = rest.map(|rest| TriMesh::new(points(rest), mesh.faces.clone()));
        let thickness = thickness(desc.thickness, rest.as_ref().unwrap_or(&mesh));
        let material = material(desc)?;
        let mut cloth = ClothDesc::new(mesh, material, thickness);
        cloth.rest = rest.map_or(RestShape::Start, |rest| RestShape::Positions(rest.positions));
        cloth.pins = array("pins", desc.pins, desc.pin_count)?.to_vec();
        Ok(cloth)
    }
}

/// # Safety
/// The fabric and its name are null or what they are said to be.
unsafe fn material(desc: &cloth_cloth_desc) -> Result<Material, Fault> {
    // SAFETY: as demanded.
    unsafe {
        if !desc.fabric.is_null() {
            let &cloth_fabric { density, stretch_warp, stretch_weft, shear, bend, damping } =
                item("fabric", desc.fabric)?;
            return Ok(Material { density, stretch_warp, stretch_weft, shear, bend, damping });
        }
        if desc.fabric_name.is_null() {
            return Ok(Material::default());
        }
        let name = memory::text("fabric_name", desc.fabric_name)?;
        let known = || Material::PRESETS.map(|(name, _)| format!("\"{name}\"")).join(", ");
        Material::preset(name)
            .ok_or_else(|| Fault::argument(format!("no fabric is called \"{name}\"; there are {}", known())))
    }
}

/// # Safety
/// The arrays are as long as their counts say.
unsafe fn mesh(
    positions: *const f64,
    vertex_count: usize,
    faces: *const u32,
    face_count: usize,
) -> Result<TriMesh, Fault> {
    // SAFETY: as demanded.
    let (positions, faces) = unsafe {
        (
            array("positions", positions.cast::<[f64; 3]>(), vertex_count)?,
            array("faces", faces.cast::<[u32; 3]>(), face_count)?,
        )
    };
    Ok(TriMesh::new(points(positions), faces.to_vec()))
}

fn points(positions: &[[f64; 3]]) -> Vec<Point3<f64>> {
    positions.iter().map(|&p| p.into()).collect()
}

/// A total thickness (m) with the usual contact margin, or what fits the mesh.
fn thickness(total: f32, mesh: &TriMesh) -> Thickness {
    if total == 0.0 { Thickness::for_mesh(mesh) } else { Thickness::from_total(total, 0.4) }
}

fn collider_from(desc: &cloth_collider_desc) -> Result<Collider, Fault> {
    let &cloth_collider_desc { shape, radius, half_length, half_extents, pose, friction } = desc;
    // By the numbers of `cloth_shape`.
    let shapes = [
        Shape::Plane,
        Shape::Sphere { radius },
        Shape::Capsule { half_length, radius },
        Shape::Cuboid { half_extents: half_extents.into() },
    ];
    let shape = memory::choice("shape", shape, shapes)?;
    Collider::new(shape, isometry(&pose)?, friction).map_err(Fault::argument)
}

fn isometry(
    &cloth_pose { translation, rotation: [x, y, z, w] }: &cloth_pose,
) -> Result<Isometry3<f32>, Fault> {
    let quaternion = Quaternion::new(w, x, y, z);
    let rotation = if [x, y, z, w] == [0.0; 4] {
        UnitQuaternion::identity()
    } else if quaternion.norm().is_normal() {
        UnitQuaternion::new_normalize(quaternion)
    } else {
        return Err(Fault::argument(format!("`rotation` is [{x}, {y}, {z}, {w}]; it has no direction")));
    };
    Ok(Isometry3::from_parts(Translation3::from(translation), rotation))
}
