//! `cloth simulate`: a user's own scene, from files to a cache, pictures and an exact verdict.
//!
//! ```text
//! flags --quick, arrangement--> scene    or a scene file
//! scene --cloth_scene::build--> what moves in it, and the simulation
//! simulation --start--> what intersects before the first frame
//! simulation --run--> figures of every frame, caches, stills
//! motions --path--> what met on the path of the substeps and on the chords between frames
//! figures --report--> JSON, --verdict--> what is printed
//! stills --pictures--> PNG; states --player--> a page
//! ```

mod arrangement;
mod character_list;
mod files;
mod glb;
mod interim;
mod observe;
mod output;
mod path;
#[cfg_attr(not(feature = "pictures"), path = "no_pictures.rs")]
mod pictures;
mod player;
mod quick;
mod report;
mod run;
mod skin;
mod start;
mod stretch;
mod verdict;
mod vertices;
mod writer;

use std::sync::Arc;

use cloth_contacts::intersect::Seams;
use cloth_io::FileError;
use cloth_scene::{BuiltScene, FOLLOW_ANY_BODY, Scene, SceneSource};
use cloth_show::choice::PlayerChoice;
use cloth_show::program::{Failure, RunFiles, Status, console, interrupt, json};
use cloth_solver::{CoarseCloth, FaceContacts, Settings, Simulation};
use interim::Interim;
use output::OutputPlan;
pub(crate) use report::SCHEMA_VERSION;
use start::Limits;

use crate::args::SimulateArgs;

/// The most threads, as on the command line: more would only fill the memory with their stacks.
const MAX_THREADS: usize = 1024;

/// A scene ready to run.
struct Prepared {
    name: String,
    scene: BuiltScene,
    simulation: Simulation,
    seams: Seams,
    threads: usize,
    limits: Limits,
    source: SceneSource,
}

/// Simulates, writes what was asked for, and prints the verdict.
pub(crate) fn run(args: &SimulateArgs) -> Result<Status, Failure> {
    if args.quick.character.list {
        return character_list::list(&args.quick.character);
    }
    interrupt::set_last_words(interim::nothing_to_report);
    let (source, mut scene, mut notes) = match &args.scene {
        Some(path) => (SceneSource::File(path.clone()), Scene::read(path)?, Vec::new()),
        None => quick::scene(&args.quick)?,
    };
    if args.pin_to_body {
        follow_all(&mut scene, &source)?;
    }
    if let Some(gate) = args.gate {
        scene.settings.gate = gate.is_on();
    }
    if let Some(faces) = args.face_contacts {
        scene.settings.face_contacts = faces.into();
    }
    if let Some(teleport) = args.teleport {
        scene.settings.teleport = teleport.applied_to(scene.settings.teleport);
    }
    let output = scene.output.as_ref().filter(|_| args.preview.is_none());
    let plan = OutputPlan::new(&args.output, output, &source)?;
    let files = Arc::new(files::list(args, &scene, &source, &plan)?);
    let threads = threads(args, &scene, &source)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Failure::new(format!("cannot start {threads} threads: {e}; use fewer")))?;
    pool.install(|| {
        let mut prepared = prepare(&scene, &source, args, &files)?;
        notes.append(&mut prepared.scene.notes);
        for note in &notes {
            console::out(format!("{note}\n"));
        }
        prepared.scene.notes = notes;
        if prepared.limits.preview.is_some() {
            prepared.scene.frames = 0;
        }
        let writers = plan.writers(&prepared.scene.garments)?;
        let mut interim = Interim::start(writers, args.output.json.as_deref(), &files);
        let record = run::run(&mut prepared, &plan, &mut interim, &files)?;
        let report = report::SimulationReport::new(&prepared, &record);
        // First, so that nothing that goes wrong with a picture takes it away.
        interim.finish(&report)?;
        let pictures = pictures::write(&plan, &prepared, &record.stills, &files)?;
        let played = args.output.report.as_deref().zip(record.recording).map(|(folder, recording)| {
            let mut runs = vec![recording];
            if args.output.player == PlayerChoice::All && scene.settings.gate && !record.interrupted {
                console::note("simulate it once more, without the gate");
                let mut ungated = scene.clone();
                ungated.settings.gate = false;
                runs.push(player::record(prepare(&ungated, &source, args, &files)?)?);
            }
            player::write(folder, &prepared.name, &runs, &files)
        });
        let played = played.transpose()?;
        let glb = plan.glb.as_deref().map(|path| record.glb.write(path, &prepared, &files)).transpose()?;
        for line in plan
            .written(&prepared.scene.garments, record.written, &record.cuts)
            .into_iter()
            .chain(glb)
            .chain(pictures)
            .chain(played)
        {
            console::out(format!("{line}\n"));
        }
        let happened = report.cuts_in_words().chain(report.pins_in_words());
        for line in happened.chain(report.rigid_bodies_in_words()) {
            console::out(format!("{line}\n"));
        }
        if let Some(note) = &report.overstretch {
            console::out(format!("{note}\n"));
        }
        console::out(report.text());
        Ok(Status::of_run(report.run.pass, record.interrupted))
    })
}

/// Builds the simulation of a scene.
fn prepare(
    scene: &Scene,
    source: &SceneSource,
    args: &SimulateArgs,
    files: &RunFiles,
) -> Result<Prepared, Failure> {
    let mut built = scene.build(source)?;
    // Again: what the files of the scene name has been opened by now.
    files.check()?;
    // The step uses the threads of the pool that the command runs in.
    let simulation = built.desc.build(Settings { threads: 1, ..scene.settings });
    let simulation = simulation.map_err(|e| FileError::new(source.path(), e.to_string()))?;
    if let Some(path) = &built.contact_file {
        files.confirm(path, "`contacts.file`")?;
    }
    built.notes.extend(built.keep_contacts(&simulation)?);
    built.notes.extend(coarse_garments(&built, &simulation));
    let seams = built
        .seams(&simulation)
        .map_err(|vertex| source.fail("garment.stitches", format!("vertex {vertex} does not exist")))?;
    let (threads, limits) = (rayon::current_num_threads(), Limits::new(args, built.thickness()));
    let (name, source) = (source.stem(), source.clone());
    Ok(Prepared { name, scene: built, simulation, seams, threads, limits, source })
}

/// The garments whose faces are large compared with a body, a sentence each.
fn coarse_garments(built: &BuiltScene, simulation: &Simulation) -> Vec<String> {
    let sentence = |coarse: CoarseCloth| {
        let garment = &built.garments.get(coarse.cloth.index())?.name;
        let body = match built.bodies.name(coarse.collider.index()) {
            Some(name) => format!("{name}, collider {}", coarse.collider.index()),
            None => format!("collider {}", coarse.collider.index()),
        };
        let contacts = match (coarse.has_face_contacts, simulation.settings().face_contacts) {
            (true, FaceContacts::Auto | FaceContacts::On) => "its faces have contacts of their own",
            (true, FaceContacts::Off) => "its faces may be pierced, because --face-contacts is off",
            (false, _) => "its faces may be pierced, because a body of this kind has no contacts of faces",
        };
        let (edge, size) = (coarse.longest_edge, coarse.smallest_radius);
        Some(format!(
            "{garment}: faces of {edge:.3} m on a body of {size:.3} m ({body}): {contacts}; subdivide the \
             garment to edges below {:.3} m",
            0.5 * size
        ))
    };
    simulation.coarse_cloths().into_iter().filter_map(sentence).collect()
}

/// Lets every pin of a scene follow the nearest mesh body, but for those that follow one by name or have
/// keyframes.
fn follow_all(scene: &mut Scene, source: &SceneSource) -> Result<(), Failure> {
    let mut pins = scene.garments.iter_mut().flat_map(|garment| &mut garment.pins).peekable();
    if pins.peek().is_none() {
        let how = match source {
            SceneSource::File(_) => "add `pins` to a [[garment]]",
            SceneSource::Flags(_) => "add --pin VERTEX or --pin X,Y,Z",
        };
        return Err(Failure::new(format!("--pin-to-body: there are no pins; {how}")));
    }
    for pin in pins.filter(|pin| pin.motion.is_empty()) {
        pin.follow.get_or_insert_with(|| FOLLOW_ANY_BODY.to_owned());
    }
    Ok(())
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    json::schema::<report::SimulationReport>()
}

/// The threads of the command line, else of the scene, else one.
fn threads(args: &SimulateArgs, scene: &Scene, source: &SceneSource) -> Result<usize, Failure> {
    let threads = args.threads.map_or(scene.settings.threads as usize, usize::from);
    if threads > MAX_THREADS {
        let text = format!("{threads} threads are too many; use at most {MAX_THREADS}");
        return Err(source.fail("settings.threads", text).into());
    }
    Ok(threads)
}
