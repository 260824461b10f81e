//! What a scenario is: a scene in three sizes, what moves in it, and what must hold of it.
//!
//! A scene is written once and serves tests (small), `verify` (medium), benches and pictures. It is plain
//! data, so that the control, the benches and the tests can build it again with one setting changed.

use cloth_scene::SceneDesc;
use cloth_show::Direction;
use cloth_show::invariants::{ColliderCell, MeasuredEdges, RigidTrack};
use cloth_show::recording::Layout;
use cloth_solver::{
    ClothDesc, Collider, ContactSource, Interaction, RestShape, Settings, Shape, Simulation, StepError,
    Thickness, Waypoints,
};
use nalgebra::{Isometry3, Point3, Vector3};

pub use crate::control_kind::{ControlKind, NoControl};
pub use crate::setup_error::SetupError;
use crate::{ByModel, ModelChoice, Size, Wearer};

/// A scene with what is expected of it, in three sizes.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name, as `--scenario` takes it.
    pub name: &'static str,
    /// What it stresses, in one line.
    pub about: &'static str,
    /// Builds the scene.
    pub build: fn(Size) -> Result<Setup, SetupError>,
}

/// A scene at one size, with what must hold of it.
pub struct Setup {
    /// What the simulation is built of.
    pub scene: SceneDesc,
    /// The character that moves in it, if one does.
    pub wearer: Option<Wearer>,
    /// Number of frames.
    pub frames: usize,
    /// Duration of a frame (s).
    pub dt: f32,
    /// Another duration of the frames from some frame on, if there are two.
    pub then: Option<FrameTiming>,
    /// What moves pins and colliders; none if nothing is moved.
    pub driver: Option<Driver>,
    /// The edges whose change of length is measured.
    pub measured: MeasuredEdges,
    /// Vertices that must stay on their side of a collider, case by case.
    pub cells: Vec<ColliderCell>,
    /// What the scenario is compared with under each elastic model, or why there is nothing.
    pub control_kinds: ByModel<Result<ControlKind, NoControl>>,
    /// Where contacts come from in a run without the order of its layers, which must get lost then: it has to
    /// have frames with intersections. None: the scene is not run so.
    pub without_layer_order: Option<ContactSource>,
    /// What must hold.
    pub expectations: Expectations,
    /// An audit tests the pairs of every so many substeps; see
    /// [`Auditor::sampling`](crate::audit::Auditor::sampling).
    pub audit_every: u64,
    /// From where it is pictured.
    pub view: Direction,
    /// The corners (m) of the box that pictures show, if they are not to show everything.
    pub focus: Option<[Point3<f32>; 2]>,
    /// The collider that this box goes along with; it stands where it says in the first picture.
    pub follows: Option<usize>,
}

/// How long frames last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTiming {
    /// The first such frame, counted from 0.
    pub from: usize,
    /// Its duration (s).
    pub dt: f32,
}

/// Called before each frame with the stage, the number of the frame from 0, and its time at the end (s).
pub type Driver = Box<dyn FnMut(&mut dyn SimulationControl, usize, f32) -> Result<(), StepError> + Send>;

/// What a driver may move, by the numbers of cloths, mesh bodies and colliders in [`Setup::scene`]; see the
/// methods of [`Simulation`] of the same names.
pub trait SimulationControl {
    /// The simulation that knows the ids for waypoints; `None` of a method that has no waypoints.
    fn simulation(&self) -> Option<&Simulation>;

    /// Moves a pinned vertex to `target` (m) in the course of the next frame.
    ///
    /// # Errors
    /// As [`Simulation::move_pin`].
    fn move_pin(&mut self, cloth: usize, vertex: u32, target: Point3<f32>) -> Result<(), StepError>;

    /// Moves a collider to `pose` in the course of the next frame.
    ///
    /// # Errors
    /// As [`Simulation::move_collider`].
    fn move_collider(&mut self, collider: usize, pose: Isometry3<f32>) -> Result<(), StepError>;

    /// Moves the vertices of a mesh body to `positions` (m) in the course of the next frame.
    ///
    /// # Errors
    /// As [`Simulation::move_mesh_body`].
    fn move_mesh_body(&mut self, body: usize, positions: &[Point3<f32>]) -> Result<(), StepError>;

    /// Pins a vertex where it is.
    ///
    /// # Errors
    /// As [`Simulation::pin`].
    fn pin(&mut self, cloth: usize, vertex: u32) -> Result<(), StepError>;

    /// Sets the mass (kg) of a vertex, which releases a pinned one.
    ///
    /// # Errors
    /// As [`Simulation::set_mass`].
    fn set_mass(&mut self, cloth: usize, vertex: u32, mass: f32) -> Result<(), StepError>;

    /// Moves the target of an attachment to `target` (m) in the course of the next frame.
    ///
    /// # Errors
    /// As [`Simulation::move_attachment`].
    fn move_attachment(&mut self, attachment: usize, target: Point3<f32>) -> Result<(), StepError>;

    /// Moves the frame that carries a cloth to `pose` in the course of the next frame.
    ///
    /// # Errors
    /// As [`Simulation::move_local_frame`].
    fn move_local_frame(&mut self, cloth: usize, pose: Isometry3<f32>) -> Result<(), StepError>;

    /// Gives a vertex a velocity (m/s).
    ///
    /// # Errors
    /// As [`Simulation::set_velocity`].
    fn set_velocity(&mut self, cloth: usize, vertex: u32, velocity: Vector3<f32>) -> Result<(), StepError>;
}

impl SimulationControl for Simulation {
    fn simulation(&self) -> Option<&Simulation> {
        Some(self)
    }

    fn move_pin(&mut self, cloth: usize, vertex: u32, target: Point3<f32>) -> Result<(), StepError> {
        self.move_pin(self.cloth_id(cloth)?, vertex, target)
    }

    fn move_collider(&mut self, collider: usize, pose: Isometry3<f32>) -> Result<(), StepError> {
        self.move_collider(self.collider_id(collider)?, pose)
    }

    fn move_mesh_body(&mut self, body: usize, positions: &[Point3<f32>]) -> Result<(), StepError> {
        self.move_mesh_body(self.mesh_body_id(body)?, positions)
    }

    fn pin(&mut self, cloth: usize, vertex: u32) -> Result<(), StepError> {
        self.pin(self.cloth_id(cloth)?, vertex)
    }

    fn set_mass(&mut self, cloth: usize, vertex: u32, mass: f32) -> Result<(), StepError> {
        self.set_mass(self.cloth_id(cloth)?, vertex, mass)
    }

    fn move_attachment(&mut self, attachment: usize, target: Point3<f32>) -> Result<(), StepError> {
        self.move_attachment(attachment, target)
    }

    fn move_local_frame(&mut self, cloth: usize, pose: Isometry3<f32>) -> Result<(), StepError> {
        self.move_local_frame(self.cloth_id(cloth)?, pose)
    }

    fn set_velocity(&mut self, cloth: usize, vertex: u32, velocity: Vector3<f32>) -> Result<(), StepError> {
        self.set_velocity(self.cloth_id(cloth)?, vertex, velocity)
    }
}

/// What must hold besides that the scene starts and ends without intersections (if it has self collision),
/// and that nothing diverges.
#[derive(Default)]
pub struct Expectations {
    /// Greatest 99th percentile of `|l / l0 - 1|` along warp and weft, in the worst frame, under each elastic
    /// model; none where it is not judged.
    pub stretch_p99: ByModel<Option<f64>>,
    /// Greatest depth (m) of a vertex inside a collider, over all frames.
    pub penetration: Option<f64>,
    /// Greatest depth (m) of a vertex below the skin of the wearer, over all frames.
    pub skin_depth: Option<f64>,
    /// Least distance (m) of the surface of each rigid ball from any face after any substep; negative is
    /// inside.
    pub body_distance: Option<f64>,
    /// Of the motion of the rigid bodies.
    pub rigid_bodies: Vec<RigidCheck>,
    /// The keys ([`ColliderCell::key`]) of the cells that are known to lose a vertex: limits of the method
    /// that the scenario's own file describes. All of them have to, and no other may.
    pub failed_cells: Vec<String>,
    /// Whether the scene is to start with intersections, and not without.
    pub starts_tangled: bool,
    /// From this frame on, counted from 0, none may have an intersection; if none, only the last may not.
    pub clean_from: Option<usize>,
    /// Of the last frame.
    pub at_the_end: Vec<EndCheck>,
    /// Of the last frame of the control.
    pub control_at_the_end: Vec<EndCheck>,
}

/// Checks the last frame; a sentence with figures if an expectation fails.
pub type EndCheck = Box<dyn Fn(&Cloths<'_>) -> Result<(), String> + Send + Sync>;

/// Checks the motion of the rigid bodies; a sentence with figures if an expectation fails.
pub type RigidCheck = Box<dyn Fn(&[RigidTrack]) -> Result<(), String> + Send + Sync>;

/// The cloths of a simulation at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Cloths<'a> {
    /// Positions (m) of all vertices.
    pub positions: &'a [Point3<f32>],
    /// The faces of each cloth, over all vertices.
    pub faces: &'a [&'a [[u32; 3]]],
}

impl Setup {
    /// Duration of a frame (s) of most scenarios: that of most displays.
    pub const DT: f32 = 1.0 / 60.0;

    /// A scene in which nothing is driven; its control has no self-collision.
    #[must_use]
    pub fn new(settings: Settings, seconds: f32) -> Self {
        Self {
            scene: SceneDesc::new(settings),
            wearer: None,
            frames: (seconds / Self::DT).round() as usize,
            dt: Self::DT,
            then: None,
            driver: None,
            measured: MeasuredEdges::default(),
            cells: Vec::new(),
            control_kinds: Ok(ControlKind::NoSelfCollision).into(),
            without_layer_order: None,
            expectations: Expectations::default(),
            audit_every: 1,
            view: Direction::default(),
            focus: None,
            follows: None,
        }
    }

    /// Chooses the elastic model, and with it what the scenario is compared with and how far it may stretch.
    /// What the scene says of a model of the same kind is kept.
    pub fn set_model(&mut self, model: ModelChoice) {
        self.scene.settings.model = model.applied_to(self.scene.settings.model);
    }

    /// What the scenario is compared with under its elastic model.
    ///
    /// # Errors
    /// If it has no control under this model.
    pub fn control_kind(&self) -> Result<ControlKind, NoControl> {
        *self.control_kinds.get(&self.scene.settings.model)
    }

    /// The greatest stretch under its elastic model; see [`Expectations::stretch_p99`].
    #[must_use]
    pub fn stretch_limit(&self) -> Option<f64> {
        *self.expectations.stretch_p99.get(&self.scene.settings.model)
    }

    /// Duration (s) of a frame, counted from 0.
    #[must_use]
    pub fn dt_of(&self, frame: usize) -> f32 {
        self.then.filter(|then| frame >= then.from).map_or(self.dt, |then| then.dt)
    }

    /// Time (s) at the end of a frame, counted from 0.
    #[must_use]
    pub fn time_after(&self, frame: usize) -> f32 {
        match self.then.filter(|then| frame >= then.from) {
            Some(then) => then.from as f32 * self.dt + (frame + 1 - then.from) as f32 * then.dt,
            None => (frame + 1) as f32 * self.dt,
        }
    }

    /// Begins a frame, counted from 0, at the time that the scene has then: calls the driver, if there is
    /// one.
    ///
    /// # Errors
    /// If the simulation is not that of the scene.
    pub fn drive(&mut self, sim: &mut dyn SimulationControl, frame: usize) -> Result<(), StepError> {
        let time = self.time_after(frame);
        self.driver.as_mut().map_or(Ok(()), |driver| driver(sim, frame, time))
    }

    /// Sends the wearer, if there is one, through a frame of `substeps`; the simulation is to move through
    /// the waypoints.
    ///
    /// # Errors
    /// If the simulation is not that of the scene.
    pub fn move_wearer(
        &mut self,
        sim: &mut dyn SimulationControl,
        frame: usize,
        substeps: u32,
    ) -> Result<Waypoints, StepError> {
        let from = frame.checked_sub(1).map_or(0.0, |before| self.time_after(before));
        let times = [from, self.time_after(frame)].map(f64::from);
        let wearer = self.wearer.as_mut();
        wearer.map_or_else(|| Ok(Waypoints::default()), |wearer| wearer.move_through(sim, times, substeps))
    }

    /// The same with the frames of a game that runs at half the rate of the display.
    #[must_use]
    pub fn at_30_hz(settings: Settings, seconds: f32) -> Self {
        let dt = 2.0 * Self::DT;
        Self { frames: (seconds / dt).round() as usize, dt, ..Self::new(settings, seconds) }
    }

    /// Adds a cloth with the edges to measure, numbered in the cloth.
    pub fn add(&mut self, cloth: ClothDesc, measured: &MeasuredEdges) {
        self.measured.append(measured, self.scene.vertex_count() as u32);
        self.scene.cloths.push(cloth);
    }

    /// Takes away all colliders, and with them rigid bodies and the proxies of the wearer.
    pub fn remove_colliders(&mut self) {
        self.scene.colliders.clear();
        self.wearer.iter_mut().for_each(Wearer::remove_proxies);
    }

    /// How the scene is laid out for who draws it; a character is drawn as its skin. `colliders` are those
    /// that there are: a control may lack them.
    #[must_use]
    pub fn layout(&self, colliders: &[Collider]) -> Layout {
        let sizes =
            self.scene.cloths.iter().map(|cloth| [cloth.mesh.positions.len(), cloth.mesh.faces.len()]);
        let layout = Layout::new(sizes, colliders, self.view, self.dt, self.frames);
        if self.wearer.is_some() { layout.hiding_from(0) } else { layout }
    }

    /// The rigid bodies by the indices of their colliders, and their shapes.
    pub(crate) fn rigid_shapes(&self) -> impl Iterator<Item = (usize, &Shape)> {
        self.scene.rigid_bodies().map(|(id, body)| (id, &body.collider.shape))
    }

    /// Makes every vertex a ball of NvCloth's size: three quarters of the median rest edge in diameter, and a
    /// tenth of the radius more in which a pair is near. Pairs that rest nearer are left out, which is the
    /// solver's default.
    pub fn make_particles(&mut self) {
        self.scene.default_interaction = Interaction::Particles;
        for cloth in &mut self.scene.cloths {
            let radius = 0.375 * median_edge(cloth);
            cloth.thickness = Thickness { radius, scr: 0.1 * radius };
        }
    }
}

/// The median length (m) of a cloth's edges where it rests, each as often as faces have it; 0 without faces.
fn median_edge(cloth: &ClothDesc) -> f32 {
    let at = match &cloth.rest {
        RestShape::Positions(rest) => rest,
        RestShape::Start | RestShape::Pattern(_) => &cloth.mesh.positions,
    };
    let sides = cloth.mesh.faces.iter().flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
    let place = |v: u32| at.get(v as usize).copied().unwrap_or_else(Point3::origin);
    let mut lengths: Vec<f64> = sides.map(|[a, b]| (place(b) - place(a)).norm()).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).map_or(0.0, |&length| length as f32)
}
