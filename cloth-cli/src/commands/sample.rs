//! `cloth sample`: garments, a character and a scene, made in code, to try every other command on.

use std::io::Write;
use std::path::Path;

use cloth_character::{Chain, ChainItem, MotionSample, Playback, Pose, RootMotion, Transform, Transition};
use cloth_geom::fixtures::{TshirtShape, tshirt};
use cloth_io::{GlbCharacter, GlbOptions, GlbScene, write_atomically, write_glb, write_obj};
use cloth_verify::{human, human_dress};

use crate::args::SampleArgs;
use crate::console;
use crate::failure::{Failure, Status};

/// Frames of the character's clip a second: what animators work at.
const FPS: f64 = 30.0;

/// Time (s) from the bind pose to the dance, and of the dance.
const PRE_ROLL: f64 = 0.5;
const DANCE: f64 = 2.0;

/// A dress on a dancer. The thickness and the substeps are those of the scenario `dress-dance`.
const SCENE: &str = r#"# A dress on a dancer: cloth simulate scene.toml --pictures pictures
# cloth-scene/examples/scene.toml of the project lists every key.
[settings]
substeps = 16
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

/// Writes the files and says what to do with them.
pub(crate) fn run(args: &SampleArgs) -> Result<Status, Failure> {
    let folder = &args.folder;
    prepare(folder)?;
    let fault = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", folder.display()));
    let shirt = tshirt(TshirtShape::default()).map_err(|e| fault(&e))?;
    write_obj(&folder.join("shirt.obj"), &shirt)?;
    write_obj(&folder.join("dress.obj"), &human_dress())?;
    write_dancer(&folder.join("dancer.glb")).map_err(|e| fault(&e))?;
    write_atomically(&folder.join("scene.toml"), |w| w.write_all(SCENE.as_bytes()))?;
    let at = |name: &str| folder.join(name).display().to_string();
    let (scene, shirt) = (at("scene.toml"), at("shirt.obj"));
    for line in [
        format!("wrote {shirt}, {}, {} and {scene}; now try", at("dress.obj"), at("dancer.glb")),
        format!("  cloth simulate {scene} --pictures pictures"),
        format!(
            "  cloth simulate --garment {shirt} --body figure --arms 40 --out shirt.pc2 --pictures pictures"
        ),
        format!("  cloth check {shirt}"),
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

/// Writes the built-in character with its dance, which begins in the bind pose: a garment is worn there.
fn write_dancer(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let character = &human()?.character;
    let chain = Chain {
        items: vec![ChainItem {
            playback: Playback::new(character.find_clip("dance")?),
            duration: Some(DANCE),
        }],
        pre_roll: PRE_ROLL,
        settle: 0.0,
        transition: Transition::default(),
        root_motion: RootMotion::Keep,
    };
    let motion = chain.build(character.clone())?;
    let frames = ((PRE_ROLL + DANCE) * FPS).round() as usize;
    let mut sample = MotionSample::default();
    let pose = |k: usize| {
        motion.sample(k as f64 / FPS, &mut sample);
        sample.pose.clone()
    };
    let poses: Vec<Pose> = (0..=frames).map(pose).collect();
    let character = GlbCharacter { character, source: None, placement: Transform::IDENTITY, poses: &poses };
    let scene = GlbScene { dt: 1.0 / FPS, character: Some(character), garments: Vec::new() };
    write_glb(path, &scene, &GlbOptions::default())?;
    Ok(())
}
