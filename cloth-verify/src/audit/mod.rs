//! An audit of certified motion that shares no code with the gate.
//!
//! The gate and the tests around it take shortcuts: bounds, caches, candidate lists, lists of exemptions. A
//! mistake in a shortcut is not found by a test that uses the same one. The auditor uses none of them: it
//! receives every accepted motion ([`Simulation::step_with`](cloth_solver::Simulation::step_with)), knows
//! which pairs the scene exempts, and decides on its own whether any other pair collided.
//!
//! ```text
//!                       swept boxes --> planes --> exact reference --> crossing?  (boxes, plane, pair)
//! accepted motion ----< exempt? by the scene, or as part of a tangle  (scene, exemptions, contour, reach,
//!                                                                      interior)
//!                       near and not examined by the gate?            (completeness)
//! ```
//!
//! * **Which pairs could meet?** Those whose swept boxes overlap. The boxes are exact in `f64` and forgotten
//!   after each motion (`boxes`).
//! * **Do they collide?** A separating plane with a derived rounding error decides (`plane`), else the exact
//!   reference of `cloth_contacts::ccd`.
//! * **Which may collide?** Pairs that the scene exempts (`scene`), tangles of a start or of a replaced
//!   state, and bodies that the gate reports as released (`exemptions`).
//! * **Is a cut nothing but a rigid motion?** It has to be one for the parts that it names and for bodies, by
//!   three vertices of each. What intersects after it is a tangle (`cut`).
//! * **Did the gate examine all that came near?** The pairs are compared one by one, if the simulation
//!   records them (`completeness`).
//!
//! It imports nothing of the gate and its tangles, of candidates, bounds, culling, the accelerated state
//! check or the filtered detection; a test reads the sources for that. What both have in common are the exact
//! predicates and the adjacency of `cloth-geom`, the description of the scene in a
//! [`Surface`](cloth_contacts::Surface), and the plain data of a motion.
//!
//! # Use
//!
//! ```
//! use cloth_solver::{ClothDesc, Material, SimulationBuilder, Thickness};
//! use cloth_verify::audit::{AuditScene, Auditor};
//!
//! let mut builder = SimulationBuilder::default();
//! let mesh = cloth_geom::fixtures::sheet(6, 6, [0.1, 0.1])?.mesh;
//! builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.002, 0.2)));
//! let mut simulation = builder.build()?;
//! simulation.record_examined(true); // for completeness; without it, only crossings are found
//!
//! let mut auditor = Auditor::new(&AuditScene::from_simulation(&simulation), simulation.positions())?;
//! for _ in 0..3 {
//!     auditor.begin_step();
//!     let accepted = simulation.step_with(1.0 / 60.0, &mut |motion| auditor.motion(&motion)).is_ok();
//!     auditor.end_step(accepted);
//!     auditor.check_claims(|hit| simulation.is_certified(hit));
//! }
//! assert!(auditor.findings().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Cuts ([`Settings::teleport`](cloth_solver::Settings::teleport)) are part of the motions that the auditor
//! receives. After a teleport or a reset the caller says [`Auditor::state_replaced`], after an edit
//! [`Auditor::scene_changed`]; with a snapshot it keeps an
//! [`Auditor::checkpoint`], and hands it to [`Auditor::restored`] when the snapshot is restored.

mod boxes;
mod check;
mod completeness;
mod contour;
mod cut;
mod exemptions;
mod finding;
mod interior;
mod pair;
mod plane;
mod reach;
mod scene;
mod search;
#[cfg(test)]
mod tests;

use std::time::Instant;

use cloth_geom::TopologyError;
use cloth_solver::AcceptedMotion;
use nalgebra::Point3;

pub use exemptions::Exemptions;
pub use finding::{AuditFigures, Finding, FindingKind};
pub use pair::Pair;
pub use reach::RINGS;
pub use scene::AuditScene;

use pair::MotionPath;
use scene::Rules;

/// Failures that are kept; more are only counted.
const KEPT: usize = 16;

/// Why an audit cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The faces are no surface.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// There is not one position for each vertex.
    #[error("{got} positions for a scene of {expected} vertices; pass one position for each vertex")]
    Positions {
        /// Number of positions.
        got: usize,
        /// Number of vertices.
        expected: usize,
    },
}

/// What an auditor knows in addition to the scene; goes with a snapshot of the simulation.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    exemptions: Exemptions,
    x: Vec<Point3<f32>>,
}

/// Follows a simulation motion by motion.
#[derive(Clone, Debug)]
pub struct Auditor {
    rules: Rules,
    exemptions: Exemptions,
    /// The state (m) that the last motion ended in.
    x: Vec<Point3<f32>>,
    /// The exemptions and the state before the present step.
    before: Checkpoint,
    every: u64,
    step: u64,
    substep: u32,
    figures: AuditFigures,
    findings: Vec<Finding>,
}

impl Auditor {
    /// An auditor of a scene that starts at some positions (m). Intersections of the start, found by all
    /// pairs, become tangles; a start without any exempts nothing but what its author does.
    ///
    /// # Errors
    /// If the faces name vertices that are not there, or if there is not one position for each vertex.
    pub fn new(scene: &AuditScene, start: &[Point3<f32>]) -> Result<Self, AuditError> {
        let begun = Instant::now();
        let rules = Rules::new(scene)?;
        check_count(start, scene.vertex_count())?;
        let before = Checkpoint { exemptions: Exemptions::default(), x: start.to_vec() };
        let mut auditor = Self {
            rules,
            exemptions: Exemptions::default(),
            x: start.to_vec(),
            before,
            every: 1,
            step: 0,
            substep: 0,
            figures: AuditFigures::default(),
            findings: Vec::new(),
        };
        auditor.figures.tangled_at_start = auditor.exempt_all_intersections();
        auditor.figures.time += begun.elapsed();
        Ok(auditor)
    }

    /// Tests the pairs of every `n`-th motion alone, from the first; 1 by default. Exemptions are updated in
    /// every motion.
    #[must_use]
    pub fn sampling(mut self, n: u64) -> Self {
        self.every = n.max(1);
        self
    }

    /// A step begins.
    pub fn begin_step(&mut self) {
        self.before.exemptions.clone_from(&self.exemptions);
        self.before.x.clone_from(&self.x);
        self.substep = 0;
    }

    /// A motion was accepted. After a cut it begins in a state that was replaced; see
    /// [`Self::state_replaced`].
    pub fn motion(&mut self, motion: &AcceptedMotion<'_>) {
        let begun = Instant::now();
        self.substep = motion.substep;
        let path = MotionPath { t0: motion.x_t0, t1: motion.x_t1 };
        let expected = self.x.len();
        if let Some(got) = [path.t0.len(), path.t1.len()].into_iter().find(|&n| n != expected) {
            let what = format!("the motion has {got} positions, the scene {expected} vertices");
            self.report(Finding::of_state(FindingKind::Jump, what));
            return;
        }
        match motion.cuts {
            [] => self.check_continuity(&path),
            cuts => self.cut(motion.substep, cuts, &path),
        }
        let released: Vec<Pair> =
            motion.released.iter().map(|pair| Pair::new(pair.vertices, pair.split)).collect();
        let released = self.check_released(released, &path);
        if self.figures.motions.is_multiple_of(self.every) {
            self.test(&path, motion, &released);
        }
        self.figures.motions += 1;
        self.x.copy_from_slice(path.t1);
        if !released.is_empty() {
            self.figures.motions_with_releases += 1;
            self.exempt_body_intersections(&released);
        }
        self.figures.time += begun.elapsed();
    }

    /// A step has ended; one that failed was undone, and all its motions are void.
    pub fn end_step(&mut self, accepted: bool) {
        let begun = Instant::now();
        if accepted {
            self.remove_resolved();
        } else {
            self.exemptions.clone_from(&self.before.exemptions);
            self.x.clone_from(&self.before.x);
        }
        self.step += 1;
        self.figures.time += begun.elapsed();
    }

    /// Compares what a simulation says of its state with the exemptions, after a step that was accepted: no
    /// intersection `[edge, face]` that belongs to a tangle may be called certified. Costs nothing while
    /// there is no tangle.
    pub fn check_claims(&mut self, mut certified: impl FnMut([u32; 2]) -> bool) {
        let begun = Instant::now();
        if self.exemptions.tangles() > 0 {
            let claimed =
                search::intersections(&self.rules, &self.x).into_iter().filter(|&hit| certified(hit));
            let claimed: Vec<[u32; 2]> = claimed.collect();
            if let Some([e, f]) = claimed.first() {
                let what = format!(
                    "{} intersections of tangles are called certified, the first of edge {e} and face {f}",
                    claimed.len()
                );
                self.report(Finding::of_state(FindingKind::FalseClaim, what));
            }
        }
        self.figures.time += begun.elapsed();
    }

    /// The state was replaced from without, by a teleport or a reset: intersections of the new state (m),
    /// found by all pairs, become tangles; tangles that have intersections left go on.
    ///
    /// # Errors
    /// If there is not one position for each vertex.
    pub fn state_replaced(&mut self, state: &[Point3<f32>]) -> Result<(), AuditError> {
        let begun = Instant::now();
        check_count(state, self.x.len())?;
        self.x.copy_from_slice(state);
        self.exempt_all_intersections();
        self.figures.time += begun.elapsed();
        Ok(())
    }

    /// The scene was edited: its rules are others, and so may be its faces. Intersections of the state (m),
    /// found by all pairs, become tangles; if the faces are the same ones, tangles that have intersections
    /// left go on. Returns whether they are.
    ///
    /// # Errors
    /// As [`Auditor::new`]; nothing is changed then.
    pub fn scene_changed(&mut self, scene: &AuditScene, state: &[Point3<f32>]) -> Result<bool, AuditError> {
        let begun = Instant::now();
        let rules = Rules::new(scene)?;
        check_count(state, scene.vertex_count())?;
        let is_same = rules.has_faces_of(&self.rules);
        self.rules = rules;
        self.x = state.to_vec();
        if !is_same {
            self.exemptions = Exemptions::default();
        }
        self.exempt_all_intersections();
        self.figures.time += begun.elapsed();
        Ok(is_same)
    }

    /// What has to be kept with a snapshot of the simulation.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { exemptions: self.exemptions.clone(), x: self.x.clone() }
    }

    /// A snapshot was restored with which this was kept.
    ///
    /// # Errors
    /// If it is of a scene with another number of vertices; nothing is changed then.
    pub fn restored(&mut self, checkpoint: &Checkpoint) -> Result<(), AuditError> {
        check_count(&checkpoint.x, self.x.len())?;
        self.exemptions.clone_from(&checkpoint.exemptions);
        self.x.clone_from(&checkpoint.x);
        Ok(())
    }

    /// What was wrong so far; of many failures the first 16.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Counts so far.
    #[must_use]
    pub fn figures(&self) -> &AuditFigures {
        &self.figures
    }

    /// The pairs that may meet at present.
    #[must_use]
    pub fn exemptions(&self) -> &Exemptions {
        &self.exemptions
    }

    fn report(&mut self, finding: Finding) {
        self.figures.failures += 1;
        if self.findings.len() < KEPT {
            self.findings.push(Finding { step: self.step, substep: self.substep, ..finding });
        }
    }
}

fn check_count(positions: &[Point3<f32>], expected: usize) -> Result<(), AuditError> {
    let got = positions.len();
    if got == expected { Ok(()) } else { Err(AuditError::Positions { got, expected }) }
}

/// In order, and each once: the auditor's own, as all that it decides by.
fn sorted_unique<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}
