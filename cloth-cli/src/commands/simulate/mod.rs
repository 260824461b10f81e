//! `cloth simulate`: a user's own scene, from files to a cache, pictures and an exact verdict.
//!
//! ```text
//! flags --quick, arrangement--> scene    or a scene file
//! scene --cloth_show::run--> figures of the start and of every frame, and the verdict
//! start --start--> what intersects before the first frame
//! states --run--> caches and the report so far by interim, stills
//! stills --pictures--> PNG; states --player--> a page
//! ```

mod arrangement;
mod character_list;
mod files;
mod glb;
mod interim;
mod output;
#[cfg_attr(not(feature = "pictures"), path = "no_pictures.rs")]
mod pictures;
mod player;
mod quick;
mod run;
mod start;

use std::sync::Arc;

use cloth_scene::{FOLLOW_ANY_BODY, Scene, SceneSource};
use cloth_show::choice::PlayerChoice;
use cloth_show::program::{Failure, Status, console, interrupt, json};
use cloth_show::run::{Prepared, Run, SimulationReport};
use interim::Interim;
use output::OutputPlan;

use crate::args::SimulateArgs;

/// The most threads, as on the command line: more would only fill the memory with their stacks.
const MAX_THREADS: usize = 1024;

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
    let settings = &mut scene.settings;
    settings.gate = args.gate.unwrap_or(settings.gate);
    settings.face_contacts = args.face_contacts.unwrap_or(settings.face_contacts);
    let teleports = args.teleport.unwrap_or(settings.teleport.is_some());
    settings.teleport = teleports.then(|| settings.teleport.unwrap_or_default());
    let output = scene.output.as_ref().filter(|_| args.preview.is_none());
    let plan = OutputPlan::new(&args.output, output, &source)?;
    let files = Arc::new(files::list(args, &scene, &source, &plan)?);
    let threads = threads(args, &scene, &source)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Failure::new(format!("cannot start {threads} threads: {e}; use fewer")))?;
    pool.install(|| {
        let limits = start::limits(args);
        let mut prepared = Prepared::build(&scene, &source, limits, &files)?;
        notes.append(&mut prepared.scene.notes);
        console::lines(&notes);
        prepared.scene.notes = notes;
        let caches = plan.caches.start(&prepared)?;
        let mut interim = Interim::start(caches, args.output.json.as_deref(), &files);
        let mut run = Run::new(prepared)?;
        let kept = run::run(&mut run, args, &plan, &mut interim, &files)?;
        let (report, record, prepared) = (run.report(), &run.record, &run.prepared);
        // First, so that nothing that goes wrong with a picture takes it away.
        interim.finish(&report)?;
        let pictures = pictures::write(&plan, prepared, &kept.stills, &files)?;
        let played = args.output.report.as_deref().zip(kept.recording).map(|(folder, recording)| {
            let mut runs = vec![recording];
            if args.output.player == PlayerChoice::All && scene.settings.gate && !record.interrupted {
                console::note("simulate it once more, without the gate");
                let mut ungated = scene.clone();
                ungated.settings.gate = false;
                runs.push(player::record(Prepared::build(&ungated, &source, limits, &files)?)?);
            }
            player::write(folder, &prepared.name, &runs, &files)
        });
        let played = played.transpose()?;
        let glb = plan.glb.as_deref().map(|path| kept.glb.write(path, prepared, &files)).transpose()?;
        let caches = plan.caches.written(&prepared.scene, run.states(), &record.cuts);
        console::lines(caches.into_iter().chain(glb).chain(pictures).chain(played));
        let happened = report.cuts_in_words().chain(report.pins_in_words());
        console::lines(happened.chain(report.rigid_bodies_in_words()));
        console::lines(&report.overstretch);
        console::out(report.text());
        Ok(Status::of_run(report.run.pass, record.interrupted))
    })
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
    json::schema::<SimulationReport>()
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
