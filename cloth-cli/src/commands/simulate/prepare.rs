//! From a scene to a simulation: every key finds its place in the solver, or is refused by name.

use cloth_contacts::intersect::{Seam, Seams};
use cloth_scene::Scene;
use cloth_solver::{ClothDesc, Settings, Simulation, SimulationBuilder, Tethers, Thickness};
use cloth_verify::invariants::MeasuredEdge;

use super::bodies::{Bodies, DEFAULT_FRICTION};
use super::constraints;
use super::contacts;
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
    // The step uses the threads of the pool that the command runs in.
    let mut builder = SimulationBuilder::new(Settings { threads: 1, ..scene.settings });
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
    let distance = scene.seam_distance.unwrap_or(SEAM_SHARE * f64::from(thinnest.total()));
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
        dt: scene.dt,
        frames,
        thickness: f64::from(thinnest.total()),
        friction: scene.friction.unwrap_or(DEFAULT_FRICTION),
        notes,
    })
}

/// How many frames a scene has.
pub(super) fn frames(scene: &Scene, source: &Source) -> Result<usize, Failure> {
    let frames = (scene.duration / scene.dt).round();
    if frames > MAX_FRAMES {
        let text = format!("{frames:e} frames are too many; at most {MAX_FRAMES:e} are simulated");
        return Err(source.fail("settings.duration", text));
    }
    Ok((frames as usize).max(1))
}

fn thickness(
    scene: &Scene,
    wanted: &cloth_scene::Garment,
    garment: &Garment,
    source: &Source,
) -> Result<(Thickness, String), Failure> {
    let (total, why) = match (wanted.thickness, scene.thickness) {
        (Some(t), _) | (None, Some(t)) => (t, "as given".to_owned()),
        (None, None) => default_of(&garment.edges),
    };
    if total > MAX_LENGTH {
        let text = format!("{total:e} m, {why}, is not a thickness of cloth; is its unit right?");
        return Err(source.fail("garment.thickness", text));
    }
    let share = scene.static_collision_share.unwrap_or(SCR_SHARE);
    let note = format!("{}: thickness {:.3} mm, {why}", garment.name, 1e3 * total);
    Ok((Thickness::from_total(total as f32, share as f32), note))
}

fn cloth(
    wanted: &cloth_scene::Garment,
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
        ..ClothDesc::new(garment.mesh.clone(), wanted.material, thickness)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Scene {
        Scene::parse(Path::new("s.toml"), &format!("{text}\n[[garment]]\nmesh = \"a.obj\"\n")).unwrap()
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
    fn the_example_has_the_arms_of_the_figure() {
        let text = include_str!("../../../../cloth-scene/examples/scene.toml");
        let example = Scene::parse(Path::new("scene.toml"), text).unwrap();
        let arms = example.bodies.iter().find_map(|body| match body.shape {
            cloth_scene::Shape::Figure { arms } => arms,
            _ => None,
        });
        assert_eq!(arms.map(|angle| angle as f32), Some(cloth_verify::CapsuleFigure::MANNEQUIN_ARMS_DEG));
    }
}
