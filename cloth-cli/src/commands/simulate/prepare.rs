//! From a scene to a simulation: every key finds its place in the solver, or is refused by name.

use cloth_contacts::intersect::{Seam, Seams};
use cloth_io::scene::{self, Scene};
use cloth_solver::{
    ClothDesc, Gusts, Material, Settings, Simulation, SimulationBuilder, Tethers, Thickness, Wind,
};
use cloth_verify::invariants::MeasuredEdge;

use super::bodies::{Bodies, DEFAULT_FRICTION};
use super::constraints;
use super::contacts;
use super::elastic;
use super::followers::Followers;
use super::friction;
use super::garment::{self, Garment, MAX_LENGTH};
use super::placing::Stage;
use super::regions;
use super::source::Source;
use super::thickness::{SCR_SHARE, default_of};
use crate::failure::Failure;
use crate::files::RunFiles;

/// The most frames of a run: above, a unit is wrong, and a cache would fill any disk.
const MAX_FRAMES: f64 = 1e6;

/// Seams whose ends are nearer than this part of the thickness are closed, where a scene does not say:
/// nothing else could lie between.
const SEAM_SHARE: f64 = 0.5;

/// A scene ready to run.
pub(super) struct Prepared {
    pub(super) name: String,
    pub(super) simulation: Simulation,
    pub(super) garments: Vec<Garment>,
    pub(super) bodies: Bodies,
    /// The pins that move with them.
    pub(super) followers: Followers,
    /// The stitches of all garments.
    pub(super) seams: Seams,
    /// All edges with their rest lengths, over all vertices.
    pub(super) edges: Vec<MeasuredEdge>,
    /// Length of a frame (s).
    pub(super) dt: f64,
    pub(super) frames: usize,
    /// Thickness (m) of the thinnest garment.
    pub(super) thickness: f64,
    /// Friction coefficient against bodies, where a body has none of its own.
    pub(super) friction: f64,
    /// What was decided, a sentence each.
    pub(super) notes: Vec<String>,
}

/// Builds the simulation of a scene.
pub(super) fn prepare(scene: &Scene, source: &Source, files: &RunFiles) -> Result<Prepared, Failure> {
    let frames = frames(scene, source)?;
    let settings = settings(scene);
    let mut builder = SimulationBuilder::new(settings);
    let (mut garments, mut edges, mut notes, mut thinnest) = (Vec::new(), Vec::new(), Vec::new(), None);
    let (mut first, mut stitches, mut attached) = (0, Vec::new(), Vec::new());
    let bodies = Bodies::new(scene, source)?;
    let stage = Stage::new(scene, &bodies, source);
    for (index, wanted) in scene.garments.iter().enumerate() {
        let garment = garment::load(wanted, index, &stage, source)?;
        notes.extend(garment.notes.iter().cloned());
        let (thickness, note) = thickness(scene, wanted, &garment, source)?;
        notes.push(note);
        thinnest = Some(
            thinnest
                .map_or(thickness, |t: Thickness| if thickness.total() < t.total() { thickness } else { t }),
        );
        let cloth = cloth(wanted, &garment, thickness, source)?;
        stitches.extend(cloth.stitches.iter().map(|stitch| Seam {
            vertex: stitch.vertex + first,
            edge: stitch.edge.map(|v| v + first),
            ratio: stitch.ratio.into(),
        }));
        let vertices: Vec<u32> = cloth.attachments.iter().map(|attachment| attachment.vertex).collect();
        let id = builder.add_cloth(cloth);
        attached.extend(vertices.into_iter().map(|vertex| (id, vertex)));
        if let Some(friction) = wanted.friction {
            builder
                .set_friction(id, friction as f32)
                .map_err(|e| source.fail("garment.friction", e.to_string()))?;
        }
        edges.extend(garment.edges.iter().map(|e| MeasuredEdge { ends: e.ends.map(|v| v + first), ..*e }));
        first += garment.mesh.positions.len() as u32;
        garments.push(garment);
    }
    let thinnest = thinnest.ok_or_else(|| source.fail("garment", "there is none; a scene needs one"))?;
    if bodies.has_meshes() {
        notes.push("a mesh body collides as cloth does".to_owned());
    }
    if bodies.has_meshes() && bodies.rigid_bodies().next().is_some() {
        notes.push("rigid bodies do not collide with mesh bodies".to_owned());
    }
    notes.extend(bodies.notes());
    let followers = Followers::bind(scene, &garments, &attached, &bodies, source)?;
    notes.extend(followers.note());
    bodies.add_to(&mut builder, thinnest).map_err(|e| source.fail("body", e))?;
    friction::set_pairs(scene, &bodies, &mut builder, source)?;
    regions::interact(&scene.interactions, &mut builder);
    let file = contacts::file(scene, source)?;
    let known = file.as_ref().is_some_and(|file| file.take(&mut builder));
    let simulation =
        builder.build().map_err(|e| Failure::new(format!("{}: {e}", source.path().display())))?;
    if let Some(file) = file.filter(|_| !known) {
        notes.extend(file.keep(&simulation, files)?);
    }
    let distance = scene.settings.seam_distance.unwrap_or(SEAM_SHARE * f64::from(thinnest.total()));
    // Those of bodies are no part of a seam, but of pairs that are asked about.
    let seams = Seams::new(stitches, simulation.positions().len(), distance)
        .map_err(|vertex| source.fail("garment.stitches", format!("vertex {vertex} does not exist")))?;
    Ok(Prepared {
        name: source.stem(),
        seams,
        simulation,
        garments,
        bodies,
        followers,
        edges,
        dt: scene.settings.dt,
        frames,
        thickness: f64::from(thinnest.total()),
        friction: scene.settings.friction.unwrap_or(DEFAULT_FRICTION),
        notes,
    })
}

/// How many frames a scene has.
pub(super) fn frames(scene: &Scene, source: &Source) -> Result<usize, Failure> {
    let frames = (scene.settings.duration / scene.settings.dt).round();
    if frames > MAX_FRAMES {
        let text = format!("{frames:e} frames are too many; at most {MAX_FRAMES:e} are simulated");
        return Err(source.fail("settings.duration", text));
    }
    Ok((frames as usize).max(1))
}

fn settings(scene: &Scene) -> Settings {
    let default = Settings::default();
    let s = &scene.settings;
    let wind = scene.wind.as_ref().map(|wind| Wind {
        velocity: nalgebra::Vector3::from(wind.velocity).cast(),
        drag: wind.drag.map_or(DEFAULT_DRAG, |d| d as f32),
        lift: wind.lift.map_or(DEFAULT_LIFT, |l| l as f32),
        gusts: wind.gusts.as_ref().map(gusts),
    });
    let air_damping = scene.wind.as_ref().and_then(|w| w.air_damping);
    Settings {
        model: s.model.as_ref().map_or(default.model, elastic::model),
        substeps: s.substeps.unwrap_or(default.substeps),
        gravity: nalgebra::Vector3::from(s.gravity).cast(),
        wind: wind.unwrap_or(default.wind),
        air_damping: air_damping.map_or(default.air_damping, |d| d as f32),
        gate: s.gate.unwrap_or(true),
        recovery: s.recovery.unwrap_or(true),
        sleep: None,
        self_friction: s.self_friction.map_or(default.self_friction, |f| f as f32),
        ..contacts::settings(scene.contacts.as_ref(), default)
    }
}

fn gusts(gusts: &scene::Gusts) -> Gusts {
    let default = Gusts::default();
    Gusts {
        strength: gusts.strength as f32,
        length: gusts.length.map_or(default.length, |l| l as f32),
        period: gusts.period.map_or(default.period, |p| p as f32),
        seed: gusts.seed,
    }
}

/// Of a plate across the wind, and about a quarter of it along: a wind that is named must be felt.
const DEFAULT_DRAG: f32 = 1.2;
const DEFAULT_LIFT: f32 = 0.3;

fn thickness(
    scene: &Scene,
    wanted: &scene::Garment,
    garment: &Garment,
    source: &Source,
) -> Result<(Thickness, String), Failure> {
    let (total, why) = match (wanted.thickness, scene.settings.thickness) {
        (Some(t), _) | (None, Some(t)) => (t, "as given".to_owned()),
        (None, None) => default_of(&garment.edges),
    };
    if total > MAX_LENGTH {
        let text = format!("{total:e} m, {why}, is not a thickness of cloth; is its unit right?");
        return Err(source.fail("garment.thickness", text));
    }
    let share = scene.settings.static_collision_share.unwrap_or(SCR_SHARE);
    let note = format!("{}: thickness {:.3} mm, {why}", garment.name, 1e3 * total);
    Ok((Thickness::from_total(total as f32, share as f32), note))
}

fn cloth(
    wanted: &scene::Garment,
    garment: &Garment,
    thickness: Thickness,
    source: &Source,
) -> Result<ClothDesc, Failure> {
    let holds = constraints::find_constraints(wanted, garment, source)?;
    Ok(ClothDesc {
        rest: garment.rest.clone(),
        layer: wanted.layer,
        tethers: wanted.tethers.then(Tethers::default),
        pins: holds.pins,
        attachments: holds.attachments,
        stitches: holds.stitches,
        exclusions: holds.exclusions,
        regions: regions::garment_regions(wanted, garment, source)?,
        ..ClothDesc::new(garment.mesh.clone(), material(&wanted.material), thickness)
    })
}

fn material(material: &scene::Material) -> Material {
    match material {
        scene::Material::Preset(scene::Preset::Cotton) => Material::COTTON,
        scene::Material::Preset(scene::Preset::Silk) => Material::SILK,
        scene::Material::Preset(scene::Preset::Denim) => Material::DENIM,
        scene::Material::Fabric(fabric) => Material {
            density: fabric.density as f32,
            stretch_warp: fabric.stretch as f32,
            stretch_weft: fabric.stretch_weft.unwrap_or(fabric.stretch) as f32,
            shear: fabric.shear as f32,
            bend: fabric.bend as f32,
            damping: fabric.damping as f32,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Scene {
        Scene::parse(Path::new("s.toml"), &format!("{text}\n[[garment]]\nmesh = \"a.obj\"\n")).unwrap()
    }

    #[test]
    fn every_setting_reaches_the_solver() {
        let scene = parse(
            "[settings]\nsubsteps = 7\nself_friction = 0.15\ngravity = [0, 1, 0]\n\
             [wind]\nvelocity = [1, 2, 3]\ndrag = 0.5\nlift = 0.25\nair_damping = 0.75\n\
             gusts = { strength = 1.5, period = 0.25, seed = 9 }\n",
        );
        let s = settings(&scene);
        assert_eq!((s.substeps, s.self_friction, s.gravity.y, s.air_damping), (7, 0.15, 1.0, 0.75));
        assert_eq!((s.wind.velocity.z, s.wind.drag, s.wind.lift), (3.0, 0.5, 0.25));
        let gusts = Gusts { strength: 1.5, length: Gusts::default().length, period: 0.25, seed: 9 };
        assert_eq!(s.wind.gusts, Some(gusts));
        // An animation is to be exact to the last frame: nothing sleeps.
        let on = Settings { sleep: None, ..Settings::default() };
        assert!(on.gate && on.recovery);
        assert_eq!(settings(&parse("")), on);
        let off = Settings { gate: false, recovery: false, ..on };
        assert_eq!(settings(&parse("[settings]\ngate = false\nrecovery = false")), off);
        assert_eq!(settings(&parse("[settings]\nrecovery = false")), Settings { recovery: false, ..on });
    }

    #[test]
    fn counts_frames_and_refuses_too_many() {
        let source = Source::Scene("s.toml".into());
        assert_eq!(frames(&parse("[settings]\ndt = 0.01\nduration = 0.5"), &source), Ok(50));
        assert_eq!(frames(&parse("[settings]\ndt = 1\nduration = 0.1"), &source), Ok(1));
        let error = frames(&parse("[settings]\ndt = 1e-9"), &source).unwrap_err().to_string();
        assert!(error.starts_with("s.toml: `settings.duration`: 4e9 frames"), "{error}");
    }

    #[test]
    fn every_number_of_a_fabric_reaches_the_solver() {
        let fabric = scene::Fabric {
            density: 0.25,
            stretch: 1.0,
            stretch_weft: Some(4.0),
            shear: 2.0,
            bend: 3.0,
            damping: 0.5,
        };
        let expected = Material {
            density: 0.25,
            stretch_warp: 1.0,
            stretch_weft: 4.0,
            shear: 2.0,
            bend: 3.0,
            damping: 0.5,
        };
        assert_eq!(material(&scene::Material::Fabric(fabric)), expected);
        let one = scene::Fabric { stretch_weft: None, ..fabric };
        assert_eq!(material(&scene::Material::Fabric(one)), Material { stretch_weft: 1.0, ..expected });
    }

    #[test]
    fn the_example_tells_the_defaults_that_hold() {
        let text = include_str!("../../../../cloth-io/examples/scene.toml");
        let example = Scene::parse(Path::new("scene.toml"), text).unwrap();
        assert_eq!(settings(&example).substeps, Settings::default().substeps);
        assert_eq!((example.settings.dt, scene::Settings::default().duration), (1.0 / 60.0, 4.0));
        assert!(text.contains("; 4 by default"));
        let arms = example.bodies.iter().find_map(|body| match body.shape {
            scene::Shape::Figure { arms } => arms,
            _ => None,
        });
        assert_eq!(arms.map(|angle| angle as f32), Some(cloth_verify::CapsuleFigure::MANNEQUIN_ARMS_DEG));
        assert!(
            matches!(example.garments[1].material, scene::Material::Fabric(f) if f.damping as f32 == Material::COTTON.damping)
        );
    }
}
