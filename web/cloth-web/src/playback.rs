//! One scene, frame by frame, with what a visitor changes while it runs.

use cloth_solver::{
    BuildError, IntersectionFilter, NormalWeights, Simulation, StepError, StepReport,
    cloth_contacts::intersect::Intersections,
};
use cloth_verify::scenario::Setup;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::drag::Drag;
use crate::pick::{Hit, Ray};
use crate::scenes::{Choice, SceneError, WebScene, material};

/// A scene that is played.
pub struct Playback {
    setup: Setup,
    sim: Simulation,
    /// Frames so far.
    frame: usize,
    pointer: Option<Pointer>,
    normals: Vec<Vector3<f32>>,
    found: Intersections,
    /// The faces of the cloths: those before all others.
    cloth_faces: usize,
}

/// A hand that holds cloth.
#[derive(Debug)]
struct Pointer {
    drag: Drag,
    /// Where it is (m).
    target: Point3<f32>,
}

/// Why a frame was not simulated; the state is that before it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A change could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl Playback {
    /// The scene at its start.
    ///
    /// # Errors
    /// As [`WebScene::build`].
    pub fn new(scene: WebScene, choice: &Choice) -> Result<Self, SceneError> {
        let (setup, sim) = scene.build(choice)?;
        let cloth_faces = setup.scene.cloths.iter().map(|cloth| cloth.mesh.faces.len()).sum();
        let mut this = Self {
            setup,
            sim,
            frame: 0,
            pointer: None,
            normals: Vec::new(),
            found: Intersections::default(),
            cloth_faces,
        };
        this.update_normals();
        this.found = this.sim.intersections(IntersectionFilter::CLOTH).map_err(SceneError::Start)?;
        Ok(this)
    }

    /// Goes on by a frame, and counts its intersections exactly. After the last frame of a scenario, what it
    /// moves stands still.
    ///
    /// # Errors
    /// If the step fails: the state is then as before.
    pub fn step(&mut self) -> Result<StepReport, FrameError> {
        let frame = self.frame.min(self.setup.frames.saturating_sub(1));
        let mut waypoints = Default::default();
        if self.frame < self.setup.frames {
            self.setup.drive(&mut self.sim, frame)?;
            let substeps = self.sim.settings().substeps;
            waypoints = self.setup.move_wearer(&mut self.sim, frame, substeps)?;
        }
        if let Some(pointer) = &self.pointer {
            pointer.drag.pull(&mut self.sim, pointer.target)?;
        }
        let report = *self.sim.step_through(self.setup.dt_of(frame), &waypoints, &mut |_| {})?;
        self.frame += 1;
        self.look_again()?;
        Ok(report)
    }

    /// The simulation.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.sim
    }

    /// Frames so far.
    #[must_use]
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// The scene.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The intersections of cloth after the last frame, exactly.
    #[must_use]
    pub fn intersections(&self) -> &Intersections {
        &self.found
    }

    /// The faces of cloth that intersect anything, ascending.
    #[must_use]
    pub fn intersecting_faces(&self) -> Vec<u32> {
        self.found.intersecting_faces(self.sim.surface().topology())
    }

    /// The normals of all vertices.
    #[must_use]
    pub fn normals(&self) -> &[Vector3<f32>] {
        &self.normals
    }

    /// Vertices of the skin of the character after the last frame (m); none if there is no character.
    pub fn skin_positions(&mut self) -> &[Point3<f32>] {
        self.setup.wearer.as_mut().map_or(&[], |wearer| wearer.skin_positions())
    }

    /// The faces of the skin.
    #[must_use]
    pub fn skin_faces(&self) -> &[[u32; 3]] {
        self.setup.wearer.as_ref().map_or(&[], |wearer| wearer.faces())
    }

    /// Replaces the clock that the times of the stages are read from.
    pub fn set_clock(&mut self, clock: cloth_solver::Clock) {
        self.sim.set_clock(clock);
    }

    /// The face of cloth that a ray meets first.
    #[must_use]
    pub fn pick(&self, ray: &Ray) -> Option<Hit> {
        ray.first_hit(self.sim.positions(), &self.sim.faces()[..self.cloth_faces])
    }

    /// Holds cloth where it was picked, and releases what was held before.
    ///
    /// # Errors
    /// If the simulation cannot be rebuilt with the springs of the hand.
    pub fn grab(&mut self, hit: &Hit) -> Result<(), FrameError> {
        self.release()?;
        if hit.face < self.cloth_faces {
            let drag = Drag::start(&mut self.sim, hit.face, hit.point)?;
            self.pointer = drag.map(|drag| Pointer { drag, target: hit.point });
        }
        Ok(())
    }

    /// Moves the hand (m), which pulls from the next frame on; does nothing if it holds nothing.
    pub fn drag_to(&mut self, target: Point3<f32>) {
        if let Some(pointer) = self.pointer.as_mut().filter(|_| target.iter().all(|c| c.is_finite())) {
            pointer.target = target;
        }
    }

    /// Releases what is held.
    ///
    /// # Errors
    /// If the simulation cannot be rebuilt without the springs of the hand.
    pub fn release(&mut self) -> Result<(), FrameError> {
        if let Some(pointer) = self.pointer.take() {
            pointer.drag.end(&mut self.sim)?;
        }
        Ok(())
    }

    /// Whether the hand holds cloth.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.pointer.is_some()
    }

    /// Moves a cloth, by its number, rigidly and at once, with its pins and their targets. What the scene
    /// moves is where the scene has it in the next frame: a cut, if those are on.
    ///
    /// # Errors
    /// If there is no such cloth, or a vertex would be beyond 1e7 m; nothing has changed then.
    pub fn teleport(&mut self, cloth: usize, motion: &Isometry3<f32>) -> Result<(), FrameError> {
        let cloth = self.sim.cloth_id(cloth)?;
        self.sim.teleport(cloth, motion)?;
        self.look_again()
    }

    /// Moves everything rigidly and at once: cloths, bodies and colliders, with all targets.
    ///
    /// # Errors
    /// If something would be beyond 1e7 m; nothing has changed then.
    pub fn teleport_all(&mut self, motion: &Isometry3<f32>) -> Result<(), FrameError> {
        self.sim.teleport_all(motion)?;
        self.look_again()
    }

    /// Changes the velocity of the wind (m/s).
    ///
    /// # Errors
    /// If it is not finite.
    pub fn set_wind(&mut self, velocity: Vector3<f32>) -> Result<(), FrameError> {
        let wind = self.sim.settings().wind;
        Ok(self.sim.set_wind(cloth_solver::Wind { velocity, ..wind })?)
    }

    /// Switches certification of motions on or off. What intersects when it is switched on stays exempt until
    /// it is resolved.
    ///
    /// # Errors
    /// If the simulation cannot be rebuilt.
    pub fn set_gate(&mut self, gate: bool) -> Result<(), FrameError> {
        let settings = cloth_solver::Settings { gate, ..*self.sim.settings() };
        Ok(self.sim.set_settings(settings)?)
    }

    /// Gives all cloths a fabric.
    ///
    /// # Errors
    /// If there is no such fabric.
    pub fn set_material(&mut self, name: &str) -> Result<(), SceneError> {
        let material = material(name)?;
        for number in 0..self.sim.cloth_count() {
            let cloth = self.sim.cloth_id(number).map_err(SceneError::Start)?;
            self.sim.set_material(cloth, material)?;
        }
        Ok(())
    }

    /// Counts the intersections and computes the normals of the present state.
    fn look_again(&mut self) -> Result<(), FrameError> {
        self.update_normals();
        self.found = self.sim.intersections(IntersectionFilter::CLOTH)?;
        Ok(())
    }

    fn update_normals(&mut self) {
        self.sim.write_normals(NormalWeights::Area, &mut self.normals);
    }
}

#[cfg(test)]
mod tests {
    use cloth_solver::Teleport;
    use nalgebra::{Isometry3, Vector3};

    use crate::{Choice, Playback, find};

    fn played(scene: &str, choice: Choice) -> Playback {
        let choice = Choice { size: "small".into(), ..choice };
        Playback::new(find(scene).expect("a scene"), &choice).expect("a simulation")
    }

    /// Half a turn about y, and 20 m.
    fn far() -> Isometry3<f32> {
        Isometry3::new(Vector3::x() * 20.0, Vector3::y() * std::f32::consts::PI)
    }

    #[test]
    fn a_teleported_cloth_comes_back_by_a_cut() {
        let choice = Choice { teleport: Some(Teleport::default()), ..Choice::default() };
        let mut playback = played("twist", choice);
        let report = playback.step().expect("a step");
        assert_eq!(report.cuts, 0);
        let at = |playback: &Playback| playback.simulation().positions()[0].x;
        let before = at(&playback);
        playback.teleport(0, &far()).expect("a cloth");
        assert!(at(&playback) > 15.0 && playback.intersections().is_clean());
        let report = playback.step().expect("a step");
        assert_eq!((report.cuts, playback.simulation().cuts().len()), (1, 1));
        assert!((at(&playback) - before).abs() < 0.1 && playback.intersections().is_clean());
        assert!(playback.teleport(1, &far()).is_err(), "there is one cloth");
        assert_eq!(playback.step().expect("a step").cuts, 0);
        assert!(playback.simulation().cuts().is_empty());
    }

    #[test]
    fn everything_goes_along_in_a_teleport_of_all() {
        let mut playback = played("flag", Choice::default());
        playback.step().expect("a step");
        let places = |playback: &Playback| {
            let sim = playback.simulation();
            let poles = sim.colliders().iter().map(|collider| collider.pose_t1.translation.vector.into());
            sim.positions().iter().copied().chain(poles).collect::<Vec<_>>()
        };
        let (before, normals) = (places(&playback), playback.normals().to_vec());
        playback.teleport_all(&far()).expect("finite");
        let after = places(&playback);
        let gone = after.iter().zip(&before).map(|(now, p)| (now - far() * p).norm());
        assert!(gone.fold(0.0, f32::max) < 1e-4);
        let turned = playback.normals().iter().zip(&normals).map(|(now, n)| (now - far() * n).norm());
        assert!(turned.fold(0.0, f32::max) < 1e-2);
        assert_eq!(playback.step().expect("a step").cuts, 0);
        let beyond = Isometry3::translation(1e8, 0.0, 0.0);
        let before = playback.simulation().state_hash();
        assert!(playback.teleport_all(&beyond).is_err() && playback.teleport(0, &beyond).is_err());
        assert_eq!(playback.simulation().state_hash(), before);
    }
}
