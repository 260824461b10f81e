//! `cloth sample`: garments, a character and a scene, made in code, to try every other command on.

use std::io::Write;
use std::path::Path;

use cloth_character::{Chain, ChainItem, Motion, MotionSample, Playback, RootMotion, Transform, Transition};
use cloth_geom::TriMesh;
use cloth_geom::fixtures::{TshirtShape, sheet, tshirt};
use cloth_io::{GlbCharacter, GlbOptions, GlbScene, Pc2Writer, write_atomically, write_glb, write_obj};
use cloth_show::human::{human, human_dress};
use cloth_show::program::{Failure, Status, console};
use nalgebra::{Point3, Vector3};

use crate::args::SampleArgs;

/// Frames of the character's clip a second: what animators work at.
const FPS: f64 = 30.0;

/// Of the clip (s): from the bind pose to the dance, the dance, and back, so that it ends where it begins.
const CLIP: [f64; 3] = [0.5, 3.3, 0.7];

/// Seconds of the built-in dance a second: the dancer of the scenario `dress-dance` turns faster than a skirt
/// follows.
const SPEED: f64 = 0.6;

/// A dress on a dancer. The thickness is that of the scenario `dress-dance`.
const SCENE: &str = r#"# A dress on a dancer: cloth simulate scene.toml --pictures pictures
# cloth-scene/examples/scene.toml of the project lists every key.
[settings]
# The clip once, in as many frames as a GLB file has room for key frames.
duration = 4.5
dt = 0.025
substeps = 32
thickness = 0.006

[[garment]]
mesh = "dress.obj"
# The upper edge moves with the skin.
pins = [{ min = [-1, 1.264, -1], max = [1, 1.266, 1], follow = "character" }]

[character]
path = "dancer.glb"
# It begins in the bind pose.
clips = ["simulation"]
pre_roll = 0.0

[output]
cache = "dance.glb"
"#;

/// A cloth over a ball in twelve variants.
const SWEEP: &str = r#"# A cloth over a ball in twelve variants: cloth sweep sweep.toml --out runs
# cloth-show/examples/sweep.toml of the project lists every key.
scene = "drape.toml"
outputs = ["cloth.npz", "last.obj"]
units = "metres"
samples = 2
seed = 1

[[parameter]]
key = "garment.cloth.material"
values = ["cotton", "silk", "denim"]

[[parameter]]
key = "settings.friction"
from = 0.1
to = 0.9
count = 2

# Drawn twice for each of these.
[[parameter]]
key = "body.ball.radius"
from = 0.10
to = 0.15
"#;

const DRAPE: &str = r#"# A cloth falls over a ball: cloth simulate drape.toml --pictures pictures
[settings]
duration = 0.5
thickness = 0.008

[[garment]]
name = "cloth"
mesh = "cloth.obj"
place = "above"

[[body]]
name = "ball"
kind = "sphere"
center = [0.0, 0.2, 0.0]
radius = 0.12
"#;

/// Writes the files and says what to do with them.
pub(crate) fn run(args: &SampleArgs) -> Result<Status, Failure> {
    let folder = &args.folder;
    prepare(folder)?;
    let fault = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", folder.display()));
    let shirt = tshirt(TshirtShape::default()).map_err(|e| fault(&e))?;
    write_obj(&folder.join("shirt.obj"), &shirt)?;
    write_obj(&folder.join("tangled.obj"), &tangled(shirt))?;
    write_obj(&folder.join("dress.obj"), &human_dress())?;
    write_obj(&folder.join("flag.obj"), &doubled_flag().map_err(|e| fault(&e))?)?;
    write_dancer(folder).map_err(|e| fault(&*e))?;
    write_obj(&folder.join("cloth.obj"), &sheet(21, 21, [0.5, 0.5]).map_err(|e| fault(&e))?.mesh)?;
    for (name, text) in [("scene.toml", SCENE), ("drape.toml", DRAPE), ("sweep.toml", SWEEP)] {
        write_atomically(&folder.join(name), |w| w.write_all(text.as_bytes()))?;
    }
    let at = |name: &str| folder.join(name).display().to_string();
    let scene = at("scene.toml");
    for line in [
        format!("wrote a shirt, a dress, a dancer, a mannequin and {scene}; now try"),
        format!("  cloth simulate {scene} --pictures pictures"),
        format!("  cloth check {}", at("dance.glb")),
        format!("  cloth check {}", at("tangled.obj")),
        format!(
            "  cloth untangle {} clean.obj --body {} --picture both.png",
            at("tangled.obj"),
            at("mannequin.obj")
        ),
        format!("  cloth sweep {} --out runs", at("sweep.toml")),
    ] {
        console::out(line + "\n");
    }
    Ok(Status::Clean)
}

/// Makes the folder, which must not hold anything.
fn prepare(folder: &Path) -> Result<(), Failure> {
    let fault = |text: String| Failure::new(format!("{}: {text}", folder.display()));
    std::fs::create_dir_all(folder).map_err(|e| fault(format!("cannot make the folder: {e}")))?;
    let mut entries = std::fs::read_dir(folder).map_err(|e| fault(format!("cannot read the folder: {e}")))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(fault("is not empty; name a new or an empty folder".to_owned())),
    }
}

/// The shirt with its chest pushed into the body, and one sleeve into its side.
fn tangled(mut shirt: TriMesh) -> TriMesh {
    for (centre, push, radius) in
        [([0.0, 1.25, 0.15], [0.0, 0.0, -0.13], 0.2), ([0.3, 1.2, 0.0], [-0.1, -0.02, 0.0], 0.12)]
    {
        for p in &mut shirt.positions {
            let nearness = 1.0 - (*p - Point3::from(centre)).norm() / radius;
            *p += Vector3::from(push) * cloth_character::smoothstep(nearness);
        }
    }
    shirt
}

/// A flag that was duplicated in place.
fn doubled_flag() -> Result<TriMesh, cloth_geom::fixtures::FixtureError> {
    let mut flag = sheet(25, 17, [0.9, 0.6])?.mesh;
    flag.append(&flag.clone());
    Ok(flag)
}

/// The dance of the built-in character, which begins and ends in the bind pose: garments are worn there.
fn dance() -> Result<Motion, Box<dyn std::error::Error>> {
    let character = &human()?.character;
    let playback = Playback::new(character.find_clip("dance")?).with_speed(SPEED);
    let chain = Chain {
        items: vec![ChainItem { playback, duration: Some(CLIP[1]) }],
        pre_roll: CLIP[0],
        settle: 0.0,
        transition: Transition::default(),
        root_motion: RootMotion::Keep,
    };
    let mut motion = chain.build(character.clone())?;
    let back = Transition { fade: CLIP[2], match_phase: false };
    motion.hold(CLIP[0] + CLIP[1], character.bind_pose(), back)?;
    Ok(motion)
}

/// Writes the built-in character with its dance, and its skin alone: as a mesh in the bind pose, and as a
/// cache.
fn write_dancer(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let motion = dance()?;
    let character = motion.character();
    // All of its skin.
    let mesh = character.meshes.first().ok_or("the built-in character has no skin")?;
    let frames = (CLIP.iter().sum::<f64>() * FPS).round() as usize;
    let (mut sample, mut poses) = (MotionSample::default(), Vec::new());
    let (mut matrices, mut positions) = (Vec::new(), vec![Point3::origin(); mesh.skin.len()]);
    let mut cache = Pc2Writer::create(&folder.join("dancer.pc2"), positions.len(), 0.0, 1.0)?;
    for frame in 0..=frames {
        motion.sample(frame as f64 / FPS, &mut sample);
        poses.push(sample.pose.clone());
        mesh.skin.compute_matrices(&sample.world, &mut matrices);
        mesh.skin.deform_positions(&matrices, &mut positions)?;
        cache.push(&positions)?;
    }
    cache.finish()?;
    write_obj(&folder.join("mannequin.obj"), &mesh.unposed_mesh())?;
    let character = GlbCharacter { character, source: None, placement: Transform::IDENTITY, poses: &poses };
    let scene = GlbScene { dt: 1.0 / FPS, character: Some(character), garments: Vec::new() };
    write_glb(&folder.join("dancer.glb"), &scene, &GlbOptions::default())?;
    Ok(())
}
