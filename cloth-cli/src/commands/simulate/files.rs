//! What a simulation reads and writes: everything that the flags and the scene name.

use std::path::Path;

use cloth_scene::build::animation_files;
use cloth_scene::{PinPlace, Rest, Scene, SceneSource, Shape, Stitches};
use cloth_show::program::{Failure, RunFiles};
use cloth_solver::ContactSource;

use super::output::OutputPlan;
use super::{player, start};
use crate::args::SimulateArgs;
use crate::left_out::{needs_pictures, needs_player};

/// The files of a run, checked. A file of contacts is read where it is there and written where it is not, so
/// it counts as an output.
pub(super) fn list(
    args: &SimulateArgs,
    scene: &Scene,
    source: &SceneSource,
    plan: &OutputPlan,
) -> Result<RunFiles, Failure> {
    if let Some(option) = plan.draws(args) {
        needs_pictures(option)?;
    }
    args.output.report.iter().try_for_each(|_| needs_player("--report"))?;
    let mut files = RunFiles::default();
    inputs(scene, source, &mut files);
    plan.add_to(&mut files, &scene.garment_names(source), scene.frames(source)?);
    if let Some(path) = start::picture(args.preview.as_deref(), plan) {
        files.writes(&path, "the picture of the start");
    }
    let is_cached = matches!(scene.settings.contacts, ContactSource::Cached { .. });
    if let Some(file) = scene.contact_file.as_ref().filter(|_| is_cached) {
        files.updates(&source.resolve(file), "`contacts.file`");
    }
    for file in args.output.report.iter().flat_map(|folder| player::files(folder)) {
        files.writes(&file, "--report");
    }
    files.writes_json(args.output.json.as_deref())?;
    Ok(files)
}

fn inputs(scene: &Scene, source: &SceneSource, files: &mut RunFiles) {
    if let SceneSource::File(path) = source {
        files.reads(path, "SCENE.toml");
    }
    let mut reads = |path: &Path, role| files.reads(&source.resolve(path), role);
    for garment in &scene.garments {
        reads(&garment.mesh, "the mesh of a garment");
        if let Rest::Mesh(path) = &garment.rest {
            reads(path, "the rest shape of a garment");
        }
        for pin in &garment.pins {
            if let PinPlace::File(path) = &pin.place {
                reads(path, "the pins of a garment");
            }
        }
        if let Stitches::File(path) = &garment.stitches {
            reads(path, "the stitches of a garment");
        }
    }
    for body in &scene.bodies {
        if let Shape::Mesh { path, .. } = &body.shape {
            reads(path, "the mesh of a body");
        }
    }
    if let Some(character) = &scene.character {
        reads(&character.path, "the character");
    }
    for animation in scene.bodies.iter().filter_map(|body| body.animation.as_ref()) {
        files.reads_all(&animation_files(&source.resolve(&animation.path)), "the motion of a body");
    }
}
