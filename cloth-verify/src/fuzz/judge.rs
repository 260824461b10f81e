//! Runs a scene and says what the gate let pass, by means that are not the gate's.
//!
//! Every frame is checked for intersections. Where a frame is one substep, the straight way from frame to frame is the very
//! motion that was accepted, and no pair may touch on it. What started clean has to be clean throughout; what did not is
//! judged by a book of its own ([`Claims`]).

use std::panic::{AssertUnwindSafe, catch_unwind};

use cloth_broadphase::{BlockTree, ParryBvh};
use cloth_contacts::impacts::ImpactFinder;
use cloth_contacts::intersect::Checker;
use cloth_solver::{GateReport, Simulation};
use nalgebra::Point3;
use serde::Serialize;

use super::claims::Claims;
use super::scene::FuzzScene;

/// Changes a simulation before it runs: for those who want to see the campaign fail.
pub type Prepare<'a> = &'a (dyn Fn(&mut Simulation<ParryBvh>) + Sync);

/// What a run of a scene found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// Frames simulated.
    pub frames: usize,
    /// Pairs that the gate proved.
    pub proofs: u64,
    /// Most rounds that the gate took.
    pub rounds: u32,
    /// Frames in which the gate changed a motion.
    pub changed_frames: usize,
    /// Intersections at the start.
    pub tangled_at_start: usize,
    /// What was wrong, with the frame, if anything was.
    pub failure: Option<String>,
}

/// Runs a scene to its end, or to the first frame that is wrong. A panic is a failure like any other.
#[must_use]
pub fn judge(scene: &FuzzScene, prepare: Prepare<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    let run = catch_unwind(AssertUnwindSafe(|| run(scene, prepare, &mut verdict)));
    verdict.failure = match run {
        Ok(found) => found.err(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
            Some(format!("frame {}: it panicked: {text}", verdict.frames + 1))
        }
    };
    verdict
}

fn run(scene: &FuzzScene, prepare: Prepare<'_>, verdict: &mut Verdict) -> Result<(), String> {
    let mut simulation = scene.build::<ParryBvh>().map_err(|e| format!("it cannot be built: {e}"))?;
    prepare(&mut simulation);
    let mut observer = Observer::new(&simulation)?;
    verdict.tangled_at_start = observer.hits.len();
    let starts = simulation.positions().to_vec();
    for frame in 1..=scene.frames {
        let place = |e: String| format!("frame {frame}: {e}");
        scene.move_to(&mut simulation, &starts, frame).map_err(|e| place(e.to_string()))?;
        let report = simulation.step(scene.dt).map_err(|e| place(e.to_string()))?.gate;
        verdict.frames = frame;
        verdict.proofs += report.proofs as u64;
        verdict.rounds = verdict.rounds.max(report.rounds);
        verdict.changed_frames += usize::from(report.pulled_back > 0);
        observer.look(&simulation, &report, scene.settings.substeps == 1).map_err(place)?;
    }
    Ok(())
}

/// Looks at one state after another.
struct Observer {
    checker: Checker<BlockTree>,
    finder: ImpactFinder<BlockTree>,
    before: Vec<Point3<f64>>,
    hits: Vec<[u32; 2]>,
    claims: Claims,
    /// Whether a body was let go: what the gate promises is then its own to say.
    let_go: bool,
}

impl Observer {
    fn new(simulation: &Simulation<ParryBvh>) -> Result<Self, String> {
        let mut observer = Self {
            checker: Checker::default(),
            finder: ImpactFinder::default(),
            before: exact(simulation)?,
            hits: Vec::new(),
            claims: Claims::default(),
            let_go: false,
        };
        let at = observer.before.clone();
        observer.hits = observer.hits_at(simulation, &at)?;
        observer.claims = Claims::of(&observer.hits, simulation.surface().topology());
        Ok(observer)
    }

    fn hits_at(
        &mut self,
        simulation: &Simulation<ParryBvh>,
        at: &[Point3<f64>],
    ) -> Result<Vec<[u32; 2]>, String> {
        let surface = simulation.surface();
        let found = self.checker.check(at, surface.topology()).map_err(|e| e.to_string())?;
        Ok(found.edge_faces.into_iter().filter(|&hit| surface.keeps_apart(hit)).collect())
    }

    fn look(
        &mut self,
        simulation: &Simulation<ParryBvh>,
        report: &GateReport,
        one_substep: bool,
    ) -> Result<(), String> {
        let topology = simulation.surface().topology();
        let now = exact(simulation)?;
        self.hits = self.hits_at(simulation, &now)?;
        self.let_go |= report.released > 0;
        let is_wrong = |hit: &&[u32; 2]| match self.let_go {
            true => simulation.is_certified(**hit),
            false => !self.claims.allows_hit(**hit, topology),
        };
        let wrong: Vec<&[u32; 2]> = self.hits.iter().filter(is_wrong).collect();
        if let Some([e, f]) = wrong.first() {
            let count = wrong.len();
            return Err(format!(
                "{count} intersections of certified pairs, the first of edge {e} and face {f}"
            ));
        }
        if one_substep {
            self.look_between(simulation, &now, report.released > 0)?;
        }
        match self.let_go {
            true => self.claims = Claims::of_gate(simulation.tangles()),
            false => self.claims.settle(&self.hits, topology),
        }
        self.before = now;
        Ok(())
    }

    /// No pair that the gate answered for may have touched on the way.
    fn look_between(
        &mut self,
        simulation: &Simulation<ParryBvh>,
        now: &[Point3<f64>],
        body_let_go: bool,
    ) -> Result<(), String> {
        let surface = simulation.surface();
        let topology = surface.topology();
        let found = self.finder.find(&self.before, now, topology).map_err(|e| e.to_string())?;
        let excused = |a: &[u32], b: &[u32]| match (surface.is_body(a[0]), surface.is_body(b[0])) {
            (true, true) => true,
            (false, false) => self.claims.allow(a, b),
            _ => body_let_go || self.claims.allow(a, b),
        };
        let corners = |f: &u32| topology.faces()[*f as usize];
        let ends = |e: &u32| topology.edges()[*e as usize];
        let wrong = found.vertex_faces.iter().find(|[v, f]| !excused(&[*v], &corners(f)));
        if let Some([v, f]) = wrong {
            return Err(format!("vertex {v} and face {f}, a certified pair, touched on the way"));
        }
        let wrong = found.edge_edges.iter().find(|[a, b]| !excused(&ends(a), &ends(b)));
        wrong.map_or(Ok(()), |[a, b]| Err(format!("edges {a} and {b}, a certified pair, touched on the way")))
    }
}

fn exact(simulation: &Simulation<ParryBvh>) -> Result<Vec<Point3<f64>>, String> {
    let positions: Vec<Point3<f64>> = simulation.positions().iter().map(|p| p.cast()).collect();
    match positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        Some(v) => Err(format!("vertex {v} is at {}, which is not finite", positions[v])),
        None => Ok(positions),
    }
}
