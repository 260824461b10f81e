//! `--report`: a page on which the run plays, and next to it the same scene without the gate if that is
//! wanted.

use std::path::{Path, PathBuf};

use cloth_scene::build::AnimatedCharacter;
use cloth_show::Direction;
#[cfg(feature = "player")]
use cloth_show::player::{PAGE_FILE, PLAYER_FILE, PlayedRuns, write_player};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles};
use cloth_show::recording::{Layout, RecordedState, Recorder, Recording};
use cloth_show::report::CutFigures;
use cloth_show::run::{Observation, Observer, Prepared, advance, figures_of_cuts};
use cloth_solver::Simulation;
use nalgebra::Point3;

#[cfg(feature = "player")]
use super::output::make_folder;

/// What the files of the report are, in errors.
const ROLE: &str = "--report";

/// The files of a report in a folder.
#[cfg(feature = "player")]
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let page = folder.join(PAGE_FILE);
    vec![page.with_extension("js"), folder.join(PLAYER_FILE), page]
}

/// None: who asks for a report is refused before the run.
#[cfg(not(feature = "player"))]
pub(super) fn files(_folder: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// Records a run of a scene.
#[derive(Debug)]
pub(super) struct RunRecorder {
    recorder: Recorder,
    cloth_vertices: usize,
    /// Of a character that is not a body of the simulation, its skin.
    shows_skin: bool,
}

impl RunRecorder {
    pub(super) fn new(prepared: &Prepared) -> Self {
        let Prepared { simulation, scene, .. } = prepared;
        let sizes =
            || scene.garments.iter().map(|garment| [garment.mesh.positions.len(), garment.mesh.faces.len()]);
        let [cloth_vertices, cloth_faces] = sizes().fold([0; 2], |[v, f], own| [v + own[0], f + own[1]]);
        let character = scene.bodies.character();
        let shows_skin = character.is_some_and(|character| !character.body.has_skin());
        // The last colliders stand for the character.
        let proxies = character.map_or(0, AnimatedCharacter::proxy_count);
        let colliders = simulation.colliders();
        let layout = Layout::new(sizes(), colliders, Direction::default(), scene.dt as f32, scene.frames)
            .hiding_from(colliders.len() - proxies);
        let (cloth, bodies) = simulation.faces().split_at(cloth_faces);
        let own = |first: usize| move |face: &[u32; 3]| face.map(|v| v - first as u32);
        let mut surfaces: Vec<[u32; 3]> = bodies.iter().map(own(cloth_vertices)).collect();
        if let Some(character) = character.filter(|_| shows_skin) {
            let first = (simulation.positions().len() - cloth_vertices) as u32;
            let faces = character.coloured_faces().flat_map(|(_, faces)| faces.iter().copied());
            surfaces.extend(faces.map(|face| face.map(|v| v + first)));
        }
        Self { recorder: Recorder::new(layout, cloth, &surfaces), cloth_vertices, shows_skin }
    }

    /// Records the state after a frame, or the start, and the cuts so far.
    pub(super) fn record(
        &mut self,
        frame: usize,
        (seen, cuts): (&Observation, &[CutFigures]),
        prepared: &Prepared,
    ) {
        let Prepared { simulation, scene, .. } = prepared;
        let (cloths, bodies) = simulation.positions().split_at(self.cloth_vertices);
        let mut surfaces: Vec<Point3<f32>> = bodies.to_vec();
        if let Some(character) = scene.bodies.character().filter(|_| self.shows_skin) {
            surfaces.extend_from_slice(character.positions());
        }
        let state = RecordedState {
            time: scene.dt * frame as f64,
            cloths,
            surfaces: &surfaces,
            colliders: simulation.colliders(),
            intersections: seen.counts.intersections as u64,
            intersecting_faces: &seen.red_faces,
            cuts,
        };
        self.recorder.record(&state, (frame > 0).then(|| &simulation.report().times));
    }

    pub(super) fn finish(self, simulation: &Simulation) -> Recording {
        self.recorder.finish(label(simulation))
    }
}

fn label(simulation: &Simulation) -> &'static str {
    if simulation.settings().gate { "with the gate" } else { "without the gate" }
}

/// Simulates a scene for its recording alone, until it ends, breaks or a signal comes.
pub(super) fn record(mut prepared: Prepared) -> Result<Recording, Failure> {
    let mut observer = Observer::new(&prepared.simulation, prepared.cloth_vertices(), prepared.seams.clone());
    let mut recorder = RunRecorder::new(&prepared);
    let mut cuts = Vec::new();
    for frame in 0..=prepared.scene.frames {
        let goes_on = frame == 0 || advance(&mut prepared, frame, &mut |_| {}).is_ok();
        if !goes_on || INTERRUPT.is_requested() {
            break;
        }
        let seen = observer.observe(&prepared.simulation, &prepared.scene.edges).map_err(Failure::new)?;
        cuts.extend(figures_of_cuts(frame, &prepared.simulation, &prepared.scene));
        recorder.record(frame, (&seen, &cuts), &prepared);
    }
    Ok(recorder.finish(&prepared.simulation))
}

/// Refuses, as before the run.
#[cfg(not(feature = "player"))]
pub(super) fn write(_: &Path, _: &str, _: &[Recording], _: &RunFiles) -> Result<String, Failure> {
    crate::left_out::needs_player(ROLE).map(|()| String::new())
}

/// Writes the page of recordings; the line says what was written.
#[cfg(feature = "player")]
pub(super) fn write(
    folder: &Path,
    title: &str,
    runs: &[Recording],
    files: &RunFiles,
) -> Result<String, Failure> {
    make_folder(folder)?;
    for file in self::files(folder) {
        files.confirm(&file, ROLE)?;
    }
    let page = folder.join(PAGE_FILE);
    let played = PlayedRuns { title, back: None, runs: &runs.iter().collect::<Vec<_>>() };
    write_player(&page, &played).map_err(|e| {
        Failure::new(format!("cannot write the report: {e}; name a directory that can be written to"))
    })?;
    Ok(format!("wrote {}: the run to play", page.display()))
}
