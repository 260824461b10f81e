//! Judges the recorded states of a run: exact intersections and pass-throughs, stretch, penetration, energy.

use std::io::{BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use cloth_contacts::impacts::ImpactFinder;
use cloth_contacts::intersect::Checker;
use cloth_show::invariants::{Strain, deepest_vertex};
use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use super::plan::Job;
use crate::scene::Scene;
use crate::schema::{Intersections, PassThroughs, Stretch};

/// Gravity (m/s2) in the scale of energies, whatever that of the scene.
const GRAVITY: f64 = 9.81;

/// The quality of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Counted exactly in every state.
    pub intersections: Intersections,
    /// Counted exactly on every chord; none if that took too long.
    pub pass_throughs: Option<PassThroughs>,
    /// Of the worst frame.
    pub stretch: Option<Stretch>,
    /// Deepest place of a particle inside a collider (m).
    pub penetration_m: f64,
    /// See [`SceneResult::energy_drift`](crate::schema::SceneResult::energy_drift).
    pub energy_drift: Option<f64>,
}

/// Judges the start and `frames` states after it; pass-throughs are counted until `limit` is over.
///
/// # Errors
/// If the scene cannot be built, or the file holds fewer states or other than finite ones.
pub fn judge(job: &Job, states: &Path, frames: usize, limit: Duration) -> Result<Verdict, String> {
    let scene = Scene::new(&job.scene, job.side)?;
    let failed = |e| format!("the recorded states: {e}");
    let mut file = BufReader::new(std::fs::File::open(states).map_err(failed)?);
    let mut judge = Judge::new(&scene, Instant::now() + limit);
    let mut positions = Vec::new();
    for state in 0..=frames {
        read_state(&mut file, scene.particles(), &mut positions).map_err(failed)?;
        judge.show(state, &positions)?;
    }
    Ok(judge.verdict())
}

/// Hash of the bytes of a file (FNV-1a).
///
/// # Errors
/// If it cannot be read.
pub(super) fn hash(path: &Path) -> std::io::Result<u64> {
    let mut file = BufReader::with_capacity(1 << 20, std::fs::File::open(path)?);
    let (mut hash, mut word) = (0xcbf2_9ce4_8422_2325_u64, [0; 8]);
    // Whole words: a state is made of them, and a run that was stopped within one has a rest that no state
    // has.
    while file.read_exact(&mut word).is_ok() {
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    }
    Ok(hash)
}

fn read_state(file: &mut impl Read, count: usize, positions: &mut Vec<Point3<f64>>) -> std::io::Result<()> {
    let mut bytes = vec![0; 24 * count];
    file.read_exact(&mut bytes)?;
    let coordinates = bytes.as_chunks().0.iter().map(|&word| f64::from_le_bytes(word));
    let coordinates: Vec<f64> = coordinates.collect();
    positions.clear();
    positions.extend(coordinates.as_chunks().0.iter().map(|&p| Point3::from(p)));
    Ok(())
}

/// Sees the states of a run in their order.
struct Judge<'a> {
    scene: &'a Scene,
    /// After it, pass-throughs are no longer counted.
    deadline: Instant,
    energy: Energy,
    checker: Checker,
    finder: ImpactFinder,
    before: Vec<Point3<f64>>,
    room: Vec<f64>,
    strain: Option<Strain>,
    found: Verdict,
}

impl<'a> Judge<'a> {
    fn new(scene: &'a Scene, deadline: Instant) -> Self {
        Self {
            scene,
            deadline,
            energy: Energy::new(scene),
            checker: Checker::default(),
            finder: ImpactFinder::default(),
            before: Vec::new(),
            room: Vec::new(),
            strain: None,
            found: Verdict { pass_throughs: Some(PassThroughs::default()), ..Verdict::default() },
        }
    }

    fn show(&mut self, state: usize, positions: &[Point3<f64>]) -> Result<(), String> {
        let topology = &self.scene.topology;
        let found = self.checker.check(positions, topology).map_err(|e| e.to_string())?;
        let (count, counts) = (found.count() as u64, &mut self.found.intersections);
        counts.last = count;
        if state == 0 {
            counts.initial = count;
        } else {
            counts.max = counts.max.max(count);
            counts.frames_with += u64::from(count > 0);
            counts.per_frame.push(count);
            self.chord(positions)?;
            let dt = f64::from(self.scene.setup.dt_of(state - 1));
            self.energy.show(&self.before, positions, dt);
            let threads = &self.scene.setup.measured.threads;
            let strain = Strain::measure(positions, threads, &mut self.room);
            self.strain = Strain::worst([self.strain, strain]);
            let rounded: Vec<Point3<f32>> = positions.iter().map(|p| p.map(|c| c as f32)).collect();
            let depth = deepest_vertex(&rounded, &self.scene.colliders());
            self.found.penetration_m = self.found.penetration_m.max(depth);
        }
        self.before.clear();
        self.before.extend_from_slice(positions);
        Ok(())
    }

    /// Counts the pairs that collide in the linear motion from the previous state.
    fn chord(&mut self, positions: &[Point3<f64>]) -> Result<(), String> {
        let Some(counts) = &mut self.found.pass_throughs else { return Ok(()) };
        if Instant::now() > self.deadline {
            self.found.pass_throughs = None;
            return Ok(());
        }
        let found = self.finder.find(&self.before, positions, &self.scene.topology);
        let found = found.map_err(|e| e.to_string())?.count() as u64;
        counts.pairs += found;
        counts.frames_with += u64::from(found > 0);
        Ok(())
    }

    fn verdict(self) -> Verdict {
        let stretch = self.strain.map(|strain| Stretch { p99: strain.p99, max: strain.max });
        Verdict { stretch, energy_drift: self.energy.drift(), ..self.found }
    }
}

/// Kinetic plus gravitational energy between two states, from the displacement between them and the mean of
/// their heights: constant to rounding for a body in free fall.
struct Energy {
    masses: Vec<f64>,
    gravity: f64,
    /// `M g L` (J).
    scale: f64,
    least: f64,
    largest_rise: f64,
    /// Pins that are driven do work.
    applies: bool,
}

impl Energy {
    fn new(scene: &Scene) -> Self {
        let masses: Vec<f64> = (0..scene.setup.scene.cloths.len()).flat_map(|c| scene.masses(c)).collect();
        let heights = scene
            .start()
            .iter()
            .map(|p| p.y)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], y| [a.min(y), b.max(y)]);
        let height = heights[1] - scene.floor().unwrap_or(heights[0]);
        Self {
            scale: masses.iter().sum::<f64>() * GRAVITY * height.max(1.0),
            masses,
            gravity: -f64::from(scene.setup.scene.settings.gravity.y),
            least: f64::INFINITY,
            largest_rise: 0.0,
            applies: scene.setup.driver.is_none(),
        }
    }

    fn show(&mut self, before: &[Point3<f64>], after: &[Point3<f64>], dt: f64) {
        let of_vertex = |((a, b), m): ((&Point3<f64>, &Point3<f64>), &f64)| {
            m * (0.5 * (b - a).norm_squared() / (dt * dt) + self.gravity * 0.5 * (a.y + b.y))
        };
        let energy: f64 = before.iter().zip(after).zip(&self.masses).map(of_vertex).sum();
        self.largest_rise = self.largest_rise.max(energy - self.least);
        self.least = self.least.min(energy);
    }

    fn drift(&self) -> Option<f64> {
        self.applies.then(|| (self.largest_rise / self.scale).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    fn write(states: &[Vec<Point3<f64>>]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let bytes: Vec<u8> = states
            .iter()
            .flatten()
            .flat_map(|p| p.iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<_>>())
            .collect();
        std::fs::write(file.path(), bytes).expect("written");
        file
    }

    fn job(scene: &str) -> Job {
        Job { scene: scene.into(), side: 12, contender: "x".into(), run: 0 }
    }

    #[test]
    fn free_fall_keeps_its_energy_and_a_push_is_a_rise() {
        let scene = Scene::new("drape-sphere", 12).expect("a scene");
        let (start, dt) = (scene.start(), 1.0 / 60.0);
        let at = |k: usize, lift: f64| -> Vec<Point3<f64>> {
            let fall = -0.5 * 9.81 * (k as f64 * dt).powi(2) + lift;
            start.iter().map(|p| p + Vector3::y() * fall).collect()
        };
        let drift = |states: &[Vec<Point3<f64>>]| {
            let file = write(states);
            let verdict = judge(&job("drape-sphere"), file.path(), states.len() - 1, Duration::MAX / 4);
            verdict.expect("judged").energy_drift.expect("not driven")
        };
        let mut falling: Vec<_> = (0..6).map(|k| at(k, 0.0)).collect();
        assert!(drift(&falling) < 1e-9, "{}", drift(&falling));
        falling[5] = at(5, 0.5);
        assert!(drift(&falling) > 1.0, "{}", drift(&falling));
    }

    #[test]
    fn a_pass_through_is_counted_where_both_ends_are_clean() {
        let scene = Scene::new("stack", 12).expect("a scene");
        let start = scene.start();
        let sheet = start.len() / 5;
        // The lowest sheet goes above the second.
        let raised: Vec<_> = start
            .iter()
            .enumerate()
            .map(|(v, p)| if v < sheet { p + Vector3::y() * 0.03 } else { *p })
            .collect();
        let file = write(&[start, raised]);
        let verdict = judge(&job("stack"), file.path(), 1, Duration::from_secs(600)).expect("judged");
        assert_eq!((verdict.intersections.initial, verdict.intersections.max), (0, 0));
        assert!(verdict.pass_throughs.is_some_and(|p| p.pairs > 100 && p.frames_with == 1));
        let unjudged = judge(&job("stack"), file.path(), 1, Duration::ZERO).expect("judged");
        assert_eq!(unjudged.pass_throughs, None);
    }

    #[test]
    fn a_sheet_on_one_spot_intersects_and_is_in_the_floor() {
        let scene = Scene::new("pile", 12).expect("a scene");
        let flat: Vec<_> = scene.start().iter().map(|p| Point3::new(p.x, -0.01, p.z)).collect();
        let file = write(&[scene.start(), flat]);
        let verdict = judge(&job("pile"), file.path(), 1, Duration::from_secs(600)).expect("judged");
        assert!(verdict.intersections.max > 0 && (verdict.penetration_m - 0.01).abs() < 1e-6);
        let stretch = verdict.stretch;
        assert!(stretch.is_some_and(|s| s.p99 > 0.9), "the warp has no length: {stretch:?}");
        assert!(
            judge(&job("pile"), file.path(), 2, Duration::ZERO)
                .is_err_and(|e| e.starts_with("the recorded states"))
        );
    }

    #[test]
    fn the_hash_depends_on_every_word() {
        let at = |x: f64| write(&[vec![Point3::new(x, 0.0, 1.0)]]);
        let [a, b, c] = [at(1.0), at(1.0), at(1.0 + f64::EPSILON)].map(|f| hash(f.path()).expect("read"));
        assert!(a == b && a != c);
    }
}
