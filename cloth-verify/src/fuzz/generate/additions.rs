//! What is added to a scene after all else, from random numbers of its own, so that a seed keeps the rest of
//! its scene: guarded colliders and rigid bodies, other elastic models, gusts, waypoints, instances, changes
//! of the settings, teleports of what is no cloth, and edits.

use cloth_solver::fem::{Assembly, FemSettings, Integrator};
use cloth_solver::{
    ContactSource, ElasticModel, Gusts, Interaction, MassSpringSettings, Material, Shape, Sleep, Stitch, Wind,
};
use nalgebra::Vector3;

use super::super::mesh::FuzzMesh;
use super::super::random::SplitMix64;
use super::super::scene::{FuzzCollider, FuzzInstance, FuzzMotion, FuzzRigid, FuzzScene, FuzzWaypoints};
use super::super::script::{SceneEdit, ScriptCall, ScriptEntry, SettingsChange};

/// Most explicit steps of a substep: what needs more ends the scene, so that none takes long.
const EXPLICIT_STEPS: u32 = 300;

/// Adds to the scene of a seed.
pub(super) fn add(seed: u64, scene: &mut FuzzScene) {
    let random = &mut SplitMix64::new(!seed);
    let spacing = scene.cloths[0].mesh.spacing();
    if random.chance(0.3) && scene.colliders.len() < 2 {
        scene.colliders.push(ball(random));
    }
    let dt = scene.dt;
    scene.colliders.iter_mut().for_each(|collider| load(random, collider, dt));
    scene.settings.model = model(random);
    if random.chance(0.15) {
        scene.settings.wind.gusts = Some(gusts(random));
        scene.settings.wind.drag = scene.settings.wind.drag.max(random.between(0.1, 1.3));
    }
    if let Some(sleep) = &mut scene.settings.sleep
        && random.chance(0.3)
    {
        sleep.after = 0.0;
    }
    if random.chance(0.15) {
        let count = random.pick(&[1, 2, 3, scene.settings.substeps - 1]);
        let most = random.pick(&[0.1, 1.0]) * spacing;
        let bow = random.vector(most);
        scene.waypoints = Some(FuzzWaypoints { count, bow });
    }
    if random.chance(0.12) {
        let mut by = random.vector(spacing);
        by[1] = spacing * random.between(-1.0, 1.0);
        let rotation = if random.chance(0.5) { [0.0; 3] } else { random.vector(0.5) };
        scene.instances = vec![FuzzInstance { cloth: random.count(0, 2) as u32, rotation, by }];
    }
    if random.chance(0.15) {
        put_to_sleep(random, scene);
        if random.chance(0.4) {
            leave_to_a_spinner(random, scene, spacing);
        }
    }
    let mut entries = std::mem::take(&mut scene.script);
    let last = scene.steps.saturating_sub(1) as usize / 2;
    if random.chance(0.6) {
        for _ in 0..random.count(1, 4) {
            let at = random.count(0, last) as u32;
            entries.push(ScriptEntry { at, call: call(random, scene, spacing) });
        }
    }
    if scene.settings.contacts == ContactSource::Detected && random.chance(0.12) {
        let at = random.count(0, last) as u32;
        end_an_exemption(random, scene, at, &mut entries);
    }
    entries.sort_by_key(|entry| entry.at);
    scene.script = entries;
}

/// Lets the first cloth sleep until something touches it: nothing moves it, and it takes no time at rest.
fn put_to_sleep(random: &mut SplitMix64, scene: &mut FuzzScene) {
    let settings = &mut scene.settings;
    settings.sleep = Some(Sleep { after: 0.0, speed: random.pick(&[0.05, 0.5]) });
    settings.gravity = Vector3::zeros();
    settings.wind = Wind::VACUUM;
    let piece = &mut scene.cloths[0];
    (piece.velocity, piece.jitter.0) = ([0.0; 3], 0.0);
    (piece.drive, piece.carrier) = (None, None);
    piece.pins.clear();
    piece.attachments.clear();
    piece.stitches.clear();
}

/// A ball beside the cloth that flies or stands.
fn ball(random: &mut SplitMix64) -> FuzzCollider {
    FuzzCollider {
        shape: Shape::Sphere { radius: random.between(0.02, 0.15) },
        at: random.vector(0.25),
        rotation: [0.0; 3],
        friction: random.pick(&[0.0, 0.3, 1.5]),
        guarded: false,
        rigid: None,
        motion: FuzzMotion {
            velocity: random.vector(2.0),
            half_period: random.count(1, 8) as u32,
            ..FuzzMotion::default()
        },
    }
}

/// Leaves a flat sheet that sleeps, and a bar that turns on the spot beside it, so fast that it is beside the
/// sheet at the end of the first step and in it at the end of the second.
fn leave_to_a_spinner(random: &mut SplitMix64, scene: &mut FuzzScene, spacing: f32) {
    const HALF_LENGTH: f32 = 0.5;
    let size = 0.25 / spacing;
    let vertices = [(); 2].map(|()| random.count(3, 6).min(1 + size as usize).max(2));
    scene.cloths.truncate(1);
    scene.bodies.clear();
    scene.instances.clear();
    let piece = &mut scene.cloths[0];
    piece.mesh = FuzzMesh::Sheet { vertices, spacing };
    (piece.at, piece.rotation, piece.tethers) = ([0.0; 3], [0.0; 3], None);
    let side = random.pick(&[-1.0, 1.0]);
    let (turn, after_a_step) = (random.between(1.0, 1.3), random.between(0.2, 0.4));
    scene.colliders = vec![FuzzCollider {
        shape: Shape::Cuboid {
            half_extents: Vector3::new(random.between(0.02, 0.05), HALF_LENGTH, random.between(0.05, 0.2)),
        },
        at: [side * HALF_LENGTH, 0.0, random.between(-0.1, 0.1)],
        rotation: [0.0, 0.0, side * (after_a_step - turn)],
        friction: 0.3,
        guarded: random.chance(0.2),
        rigid: Some(FuzzRigid {
            mass: 1.0,
            velocity: [0.0; 3],
            angular_velocity: [0.0, 0.0, side * turn / scene.dt],
        }),
        motion: FuzzMotion::default(),
    }];
}

/// Guards a collider, or makes it a rigid body that flies at the cloth.
fn load(random: &mut SplitMix64, collider: &mut FuzzCollider, dt: f32) {
    let is_guarded = random.chance(0.4);
    let is_rigid = random.chance(0.35);
    if matches!(collider.shape, Shape::Plane) {
        return;
    }
    collider.guarded = is_guarded;
    if is_rigid {
        let steps = random.between(2.0, 20.0);
        let spin = random.pick(&[0.0, 5.0, 50.0]);
        let aside = random.vector(0.5);
        collider.rigid = Some(FuzzRigid {
            mass: random.pick(&[1e-3, 0.05, 1.0]),
            velocity: [0, 1, 2].map(|k| aside[k] - (collider.at[k] / (steps * dt)).clamp(-10.0, 10.0)),
            angular_velocity: random.vector(spin),
        });
    }
}

fn model(random: &mut SplitMix64) -> ElasticModel {
    match random.count(0, 11) {
        0 => ElasticModel::Fem(FemSettings {
            assembly: random.pick(&[Assembly::Direct, Assembly::Global]),
            integrator: random.pick(&[Integrator::Implicit, Integrator::Implicit, Integrator::Explicit]),
            newton_iterations: random.count(1, 3) as u32,
            explicit_steps: EXPLICIT_STEPS,
            poisson: random.pick(&[0.0, 0.3]),
            ..FemSettings::default()
        }),
        1 => ElasticModel::MassSpring(MassSpringSettings {
            explicit_steps: EXPLICIT_STEPS,
            stretch_damping: random.pick(&[0.0, 1e-4]),
        }),
        _ => ElasticModel::Xpbd,
    }
}

fn gusts(random: &mut SplitMix64) -> Gusts {
    Gusts {
        strength: random.between(0.5, 10.0),
        length: random.between(0.02, 1.0),
        period: random.between(0.01, 1.0),
        seed: random.bits() >> 12,
    }
}

fn call(random: &mut SplitMix64, scene: &FuzzScene, spacing: f32) -> ScriptCall {
    let rotation = if random.chance(0.5) { [0.0; 3] } else { random.vector(1.0) };
    let most = random.pick(&[0.2, 1.0, 3.0]) * spacing;
    let by = random.vector(most);
    let number = random.count(0, 3) as u32;
    match random.count(0, 15) {
        0 => ScriptCall::TeleportBody { body: number, rotation, by },
        1 => ScriptCall::TeleportCollider { collider: number, rotation, by },
        2 | 3 => ScriptCall::TeleportAll { rotation, by },
        4 | 5 => ScriptCall::Set { setting: setting(random, scene) },
        6 => ScriptCall::Set { setting: SettingsChange::Threads(random.count(1, 3) as u32) },
        _ => ScriptCall::Edit { edit: edit(random, scene, by) },
    }
}

fn setting(random: &mut SplitMix64, scene: &FuzzScene) -> SettingsChange {
    match random.count(0, 8) {
        0 => SettingsChange::Gravity(random.vector(20.0)),
        1 => SettingsChange::Substeps(random.count(1, 8) as u32),
        2 => SettingsChange::DetectInterval(random.count(1, 4) as u32),
        3 => SettingsChange::SelfFriction(random.between(0.0, 2.0)),
        4 => SettingsChange::Sleep(
            random
                .chance(0.7)
                .then(|| Sleep { after: random.pick(&[0.0, 0.02]), speed: random.pick(&[0.02, 1.0]) }),
        ),
        5 => SettingsChange::Recovery(!scene.settings.recovery),
        6 => SettingsChange::LayerOrder(!scene.settings.layer_order),
        7 => SettingsChange::Gusts(random.chance(0.6).then(|| gusts(random))),
        _ => SettingsChange::Model(model(random)),
    }
}

fn edit(random: &mut SplitMix64, scene: &FuzzScene, by: [f32; 3]) -> SceneEdit {
    let vertex = |random: &mut SplitMix64| random.count(0, 63) as u32;
    let number = random.count(0, 3) as u32;
    let has_any = |some: bool, edit: SceneEdit, other: SceneEdit| if some { edit } else { other };
    match random.count(0, 11) {
        0 => SceneEdit::AddCloth { cloth: number, by },
        1 => SceneEdit::RemoveCloth { cloth: number },
        2 | 3 => has_any(
            !scene.bodies.is_empty(),
            SceneEdit::AddBody { body: number, by },
            SceneEdit::AddCloth { cloth: number, by },
        ),
        4 => has_any(
            !scene.bodies.is_empty(),
            SceneEdit::RemoveBody { body: number },
            SceneEdit::Material { cloth: number, material: Material::DENIM },
        ),
        5 => has_any(
            !scene.colliders.is_empty(),
            SceneEdit::AddCollider { collider: number, by },
            SceneEdit::RemoveCloth { cloth: number },
        ),
        6 => has_any(
            !scene.colliders.is_empty(),
            SceneEdit::RemoveCollider { collider: number },
            SceneEdit::Material { cloth: number, material: Material::SILK },
        ),
        7 | 8 => {
            let regions = [random.count(0, 2) as u8, random.count(0, 2) as u8];
            let interaction =
                random.pick(&[Interaction::None, Interaction::Particles, Interaction::FullMesh]);
            let is_known = |region: u8| {
                region == 0
                    || scene.cloths.iter().any(|piece| piece.regions.iter().any(|r| r.region == region))
            };
            match regions.into_iter().all(is_known) {
                true => SceneEdit::Interaction { regions, interaction },
                false => SceneEdit::DefaultInteraction(interaction),
            }
        }
        9 => match random.chance(0.5) {
            true => SceneEdit::Exclude { cloth: number, vertices: [vertex(random), vertex(random)] },
            false => SceneEdit::Include { cloth: number },
        },
        10 => {
            let edge = vertex(random);
            let stitch =
                Stitch { vertex: vertex(random), edge: [edge, edge + 1], ratio: random.between(0.0, 1.0) };
            match random.chance(0.7) {
                true => SceneEdit::Sew { cloth: number, stitch },
                false => SceneEdit::Unpick { cloth: number },
            }
        }
        _ => SceneEdit::Material {
            cloth: number,
            material: random.pick(&[Material::COTTON, Material::SILK, Material::DENIM]),
        },
    }
}

/// Lets cloth pass through cloth, or parts of a cloth through each other, and ends that.
fn end_an_exemption(random: &mut SplitMix64, scene: &mut FuzzScene, at: u32, entries: &mut Vec<ScriptEntry>) {
    let cloth = random.count(0, scene.cloths.len() - 1);
    let edit = match random.count(0, 3) {
        0 => {
            let piece = &mut scene.cloths[cloth];
            let count = piece.mesh.vertex_bound() as u32;
            piece.exclusions =
                (0..count).flat_map(|a| [[a, (a + count / 2) % count], [a, count - 1 - a]]).collect();
            SceneEdit::Include { cloth: cloth as u32 }
        }
        1 => {
            let piece = &mut scene.cloths[cloth];
            let count = piece.mesh.vertex_bound() as u32;
            let stitch = |vertex: u32| Stitch { vertex, edge: [count - 1 - vertex; 2], ratio: 0.0 };
            piece.stitches.extend((0..count / 2).map(stitch));
            SceneEdit::Unpick { cloth: cloth as u32 }
        }
        _ => {
            scene.default_interaction = Interaction::None;
            scene.rules.clear();
            SceneEdit::DefaultInteraction(Interaction::FullMesh)
        }
    };
    entries.push(ScriptEntry { at, call: ScriptCall::Edit { edit } });
}
