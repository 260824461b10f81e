//! `cloth simulate`: a user's own scene, from files to a cache, pictures and an exact verdict.
//!
//! ```text
//! flags --quick, arrangement--> scene    or a scene file
//! scene --garment, placing, rest, constraints, bodies--> prepare --> simulation
//! simulation --run--> figures of every frame, caches, stills
//! motions --path--> what met on the path of the substeps and on the chords between frames
//! figures --report--> verdict, JSON;   stills --pictures--> PNG
//! ```

mod animation;
mod arrangement;
mod bodies;
mod body_collider;
mod character;
mod character_list;
mod constraints;
mod contacts;
mod files;
mod followers;
mod friction;
mod garment;
mod glb;
mod observe;
mod output;
mod path;
mod pictures;
mod placing;
mod prepare;
mod proxies;
mod quick;
mod regions;
mod report;
mod rest;
mod run;
mod skin;
mod source;
mod thickness;
mod vertices;
mod writer;

use cloth_scene::Scene;

use crate::args::SimulateArgs;
use crate::failure::{Failure, Status};
use crate::{console, json};
use output::OutputPlan;
use source::Source;

/// The most threads, as on the command line: more would only fill the memory with their stacks.
const MAX_THREADS: usize = 1024;

/// Simulates, writes what was asked for, and prints the verdict.
pub(crate) fn run(args: &SimulateArgs) -> Result<Status, Failure> {
    if args.quick.character.list {
        return character_list::list(&args.quick.character);
    }
    let (source, mut scene, mut notes) = match &args.scene {
        Some(path) => (Source::Scene(path.clone()), Scene::read(path)?, Vec::new()),
        None => quick::scene(&args.quick)?,
    };
    if args.pin_to_body {
        followers::follow_all(&mut scene, &source)?;
    }
    if let Some(gate) = args.gate {
        scene.settings.gate = gate.is_on();
    }
    let plan = OutputPlan::new(&args.output, scene.output.as_ref(), &source)?;
    let files = files::list(args, &scene, &source, &plan)?;
    let threads = threads(args, &scene, &source)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Failure::new(format!("cannot start {threads} threads: {e}; use fewer")))?;
    pool.install(|| {
        let mut prepared = prepare::prepare(&scene, &source, &files)?;
        notes.append(&mut prepared.notes);
        for note in &notes {
            console::out(format!("{note}\n"));
        }
        let record = run::run(&mut prepared, &plan, &files)?;
        let report = report::SimulationReport::new(&prepared, &record, threads, notes);
        // First, so that nothing that goes wrong with a picture takes it away.
        json::write(args.output.json.as_deref(), &report, &files)?;
        let pictures = pictures::write(&plan, &prepared, &record.stills, &files)?;
        let glb = plan.glb.as_deref().map(|path| record.glb.write(path, &prepared, &files)).transpose()?;
        for line in plan.written(&prepared.garments, record.written).into_iter().chain(glb).chain(pictures) {
            console::out(format!("{line}\n"));
        }
        for line in report.rigid_bodies_in_words() {
            console::out(format!("{line}\n"));
        }
        console::out(format!("{}\n", report.verdict()));
        Ok(Status::of_run(report.scenario.pass, record.interrupted))
    })
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    json::schema::<report::SimulationReport>()
}

/// The threads of the command line, else of the scene, else one.
fn threads(args: &SimulateArgs, scene: &Scene, source: &Source) -> Result<usize, Failure> {
    let threads = args.threads.map_or(scene.settings.threads as usize, usize::from);
    if threads > MAX_THREADS {
        let text = format!("{threads} threads are too many; use at most {MAX_THREADS}");
        return Err(source.fail("settings.threads", text));
    }
    Ok(threads)
}
