//! From flags to a scene: a garment, a body that fits it, and a floor.

use std::path::Path;

use cloth_io::Scene;
use cloth_io::scene::{
    self, CharacterBody, Garment, Material, Placing, Preset, Rest, Rotation, Settings, Stitches, Up, Wind,
};
use nalgebra::Vector3;

use super::arrangement::{Arrangement, arrange};
use super::character::AnimatedCharacter;
use super::garment::{place as placed, repair_mesh};
use super::source::Source;
use super::wearing::fit_file;
use crate::args::{QuickArgs, UpAxis};
use crate::failure::Failure;

/// Simulated time (s) without a character, and frames a second.
const SECONDS: f64 = 3.0;
const FPS: f64 = 60.0;

/// The scene that the flags describe, and what was decided in it, a sentence each.
pub(super) fn scene(args: &QuickArgs) -> Result<(Source, Scene, Vec<String>), Failure> {
    let missing = || Failure::new("nothing to simulate; give SCENE.toml or --garment MESH");
    let path = args.garment.as_ref().ok_or_else(missing)?;
    let source = Source::Flags(path.clone());
    let mut garment = garment(args, path)?;
    let file = cloth_io::read_mesh(path)?.mesh;
    let character = args.character.to_scene(args.body.as_ref(), args.body_unit)?;
    let mut notes = Vec::new();
    let mut duration = SECONDS;
    let mut worn_by = None;
    if let Some(wanted) = &character {
        // For its size alone: proxies are fitted once, when the scene is prepared.
        let skin = scene::Character { body: CharacterBody::Skin, ..wanted.clone() };
        let loaded = AnimatedCharacter::load(&skin, &source)?;
        let given = [args.unit.is_some(), args.up.is_some()];
        notes.extend(fit_file(&mut garment, &file, &loaded.bounds(), given));
        (duration, worn_by) = (loaded.duration, Some(loaded));
    }
    let loaded = file.mapped(|p| placed(&garment, &p));
    let repaired = repair_mesh(&loaded, garment.weld_distance)
        .map_err(|text| Failure::new(format!("{}: {text}", path.display())))?;
    let translate = args.placing.translate.unwrap_or_default();
    let Arrangement { translate: placed, bodies, note } =
        arrange(args, &repaired, &translate.into(), worn_by.as_ref())?;
    notes.push(note);
    garment.translate = (placed + Vector3::from(translate)).into();
    let fps = args.fps.unwrap_or(FPS);
    let settings = Settings {
        dt: 1.0 / fps,
        duration: args.seconds.unwrap_or(duration),
        substeps: args.substeps,
        ..Settings::default()
    };
    let wind = Some(still_air());
    let scene = Scene { settings, garments: vec![garment], bodies, character, wind, ..Scene::default() };
    Ok((source, scene, notes))
}

/// Simulated time (s).
pub(super) fn seconds(args: &QuickArgs) -> f64 {
    args.seconds.unwrap_or(SECONDS)
}

/// Nobody drops a garment in a vacuum.
fn still_air() -> Wind {
    let air = cloth_solver::Wind::STILL_AIR;
    Wind {
        velocity: air.velocity.cast().into(),
        drag: Some(air.drag.into()),
        lift: Some(air.lift.into()),
        air_damping: None,
        gusts: None,
    }
}

fn garment(args: &QuickArgs, path: &Path) -> Result<Garment, Failure> {
    let rest = match args.rest.as_deref() {
        None => Rest::Start,
        Some(word) => {
            Rest::try_from(word.to_owned()).map_err(|text| Failure::new(format!("--rest: {text}")))?
        }
    };
    let material = match args.material.as_deref() {
        None | Some("cotton") => Preset::Cotton,
        Some("silk") => Preset::Silk,
        Some("denim") => Preset::Denim,
        Some(other) => {
            return Err(Failure::new(format!("--material: unknown `{other}`; use cotton, silk or denim")));
        }
    };
    Ok(Garment {
        layer: None,
        friction: None,
        tethers: false,
        name: None,
        mesh: path.to_path_buf(),
        unit: Some(args.unit.unwrap_or(1.0)),
        scale: args.placing.scale.unwrap_or(1.0),
        up: up(args),
        weld_distance: args.weld.unwrap_or(0.0),
        translate: [0.0; 3],
        rotate: rotation(args),
        // Where it starts is decided here.
        place: Placing::AsIs,
        rest,
        bend_rest: args.placing.bend_rest(),
        material: Material::Preset(material),
        thickness: args.thickness,
        pins: args.animation.pins(),
        stitches: Stitches::default(),
        regions: Vec::new(),
        excluded_pairs: Vec::new(),
    })
}

/// All turns in one.
fn rotation(args: &QuickArgs) -> Option<Rotation> {
    let turns = args.placing.rotate.iter().map(|turn| Rotation { axis: turn.axis, degrees: turn.degrees });
    turns.reduce(|all, next| all.then(&next))
}

pub(super) fn up(args: &QuickArgs) -> Up {
    match args.up {
        Some(UpAxis::Z) => Up::Z,
        Some(UpAxis::Y) | None => Up::Y,
    }
}
