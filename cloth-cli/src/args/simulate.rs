//! The arguments of `cloth simulate`.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::number::{non_negative, positive, quarter_turn, size};
use super::words::{FACE_CONTACTS, GATE, TELEPORT, UNITS, UP, words};
use super::{AnimationArgs, CharacterArgs, PlacingArgs};
use cloth_io::ArrayNames;
use cloth_scene::{CharacterBody, Units, Up};
use cloth_show::choice::PlayerChoice;
use cloth_solver::{FaceContacts, Material};

/// Simulates a scene file, or a garment on a body over a floor, and checks every frame exactly.
///
/// Without a scene file, the garment keeps the position of its file on a mesh body, a character or the
/// figure, and falls from above on a sphere or the floor (see --place). The default thickness is half the
/// shortest rest edge; where that edge belongs to a sliver, half the 1st percentile of rest edges.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 clean, 1 the last frame intersects (or the start, see --allow-start) or a \
    face is deeper in a body than --max-depth, 2 could not run.\n\n\
    Examples:\n  \
    cloth simulate --garment tshirt.obj --unit 0.1 --body figure --out tshirt.pc2 --pictures shots\n  \
    cloth simulate --garment tshirt.obj --character dancer.glb --clip 'Dance:4s' --out tshirt.pc2"
)]
pub(crate) struct SimulateArgs {
    /// Scene file; see cloth-scene/examples/scene.toml for every key.
    #[arg(value_name = "SCENE.toml")]
    pub(crate) scene: Option<PathBuf>,
    /// Set the number of threads, which does not change the result; that of the scene, or 1, by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Certify the motion of every substep before it is accepted; the setting of the scene, or on, by
    /// default.
    #[arg(long, value_parser = words(GATE))]
    pub(crate) gate: Option<bool>,
    /// Accept up to N intersections of cloth in the last frame.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) allow: u64,
    /// Stop before the first frame, with exit status 1, if the start has more than N intersections of cloth;
    /// by default if it has hundreds with a body.
    #[arg(long, value_name = "N")]
    pub(crate) allow_start: Option<u64>,
    /// Write a picture of the start, print its verdict, and stop: exit status 1 if cloth intersects there.
    /// The file is preview.png by default.
    #[arg(long, value_name = "PNG", num_args = 0..=1, require_equals = true,
          default_missing_value = "preview.png",
        conflicts_with_all = ["out", "out_obj", "out_glb", "pictures", "report"])]
    pub(crate) preview: Option<PathBuf>,
    /// Choose the faces that make contacts with spheres, capsules and cylinders, in addition to all vertices;
    /// the setting of the scene, or auto, by default.
    #[arg(long, value_parser = words(FACE_CONTACTS))]
    pub(crate) face_contacts: Option<FaceContacts>,
    /// Teleport cloth where what it is fixed to is elsewhere, or turned about, in the next frame: farther
    /// than 1 m at more than 60 m/s, or by more than 90 degrees, unless the scene says otherwise; the setting
    /// of the scene, or on, by default.
    #[arg(long, value_parser = words(TELEPORT))]
    pub(crate) teleport: Option<bool>,
    /// Fail if a face stands deeper than this in a sphere, capsule, box, plane or figure after any substep
    /// (m); the thickness of the thinnest garment by default.
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = non_negative)]
    pub(crate) max_depth: Option<f64>,
    /// Let all pins, those of --pin and of the scene, move with the nearest face of the mesh bodies.
    #[arg(long)]
    pub(crate) pin_to_body: bool,
    #[command(flatten)]
    pub(crate) quick: QuickArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// A garment and a body without a scene file.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Instead of a scene")]
pub(crate) struct QuickArgs {
    /// Read the garment from a mesh (OBJ, PLY, STL, OFF, or the first frame of an NPZ or of USD); may be
    /// repeated for several that are worn together, to all of which the other options apply.
    #[arg(long = "garment", value_name = "MESH", conflicts_with = "scene")]
    pub(crate) garments: Vec<PathBuf>,
    /// Read these arrays of NPZ files, those of --garment, --body and --body-motion: POSITIONS,FACES, or
    /// POSITIONS alone; by default those that data sets name so, or else the only ones that fit.
    #[arg(long, value_name = "NAMES", conflicts_with = "scene")]
    pub(crate) arrays: Option<ArrayNames>,
    /// Set the unit of the garment's file in metres; 1 by default.
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive,
          conflicts_with = "scene")]
    pub(crate) unit: Option<f64>,
    /// Set the up axis of the input files; y by default.
    #[arg(long, value_parser = words(UP), conflicts_with = "scene")]
    pub(crate) up: Option<Up>,
    /// Weld vertices that are at most this far apart (m); 0 welds equal positions; no welding by default.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative,
          conflicts_with = "scene")]
    pub(crate) weld: Option<f64>,
    /// Set the rest shape: `start`, `uv`, or a mesh file; start by default.
    #[arg(long, value_name = "REST", conflicts_with = "scene")]
    pub(crate) rest: Option<String>,
    /// Set the body: sphere, figure, none, or a closed mesh in the garment's coordinates; sphere by default.
    /// Of a character: skin, proxies or both.
    #[arg(long, value_name = "BODY", conflicts_with = "scene")]
    pub(crate) body: Option<BodyChoice>,
    /// Set the angle of the figure's arms from the vertical (degrees): 0 hanging, 90 level; 45 by default.
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, value_parser = quarter_turn,
          requires = "body")]
    pub(crate) arms: Option<f64>,
    /// Set the unit of the body's file in metres; that of the garment by default.
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive,
          conflicts_with = "scene")]
    pub(crate) body_unit: Option<f64>,
    /// Set the up axis of the body's mesh file; that of the input files (--up) by default.
    #[arg(long, value_parser = words(UP), conflicts_with = "scene")]
    pub(crate) body_up: Option<Up>,
    /// Set the fabric: cotton, silk or denim; cotton by default.
    ///
    /// `group:NAME=FABRIC` sets that of the faces of a group (`g`, `o`) or a material (`usemtl`) of the file;
    /// may be repeated, and the last one that names a face counts.
    #[arg(long = "material", value_name = "FABRIC", value_parser = fabric, conflicts_with = "scene")]
    pub(crate) fabrics: Vec<Fabric>,
    /// Set the thickness, the distance between layers of cloth in contact (m); derived from the rest edges by
    /// default.
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive,
          conflicts_with = "scene")]
    pub(crate) thickness: Option<f64>,
    /// Set the number of substeps per frame.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000),
          conflicts_with = "scene")]
    pub(crate) substeps: Option<u32>,
    /// Set the simulated time (s); 3 by default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive,
          conflicts_with = "scene")]
    pub(crate) seconds: Option<f64>,
    /// Set the frames per second; 60 by default.
    #[arg(long, value_name = "HZ", allow_negative_numbers = true, value_parser = positive,
          conflicts_with = "scene")]
    pub(crate) fps: Option<f64>,
    #[command(flatten)]
    pub(crate) animation: AnimationArgs,
    #[command(flatten)]
    pub(crate) placing: PlacingArgs,
    #[command(flatten)]
    pub(crate) character: CharacterArgs,
}

/// The fabric of a garment, or of a group of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fabric {
    pub(crate) group: Option<String>,
    pub(crate) material: Material,
}

/// The name of a fabric, or a group and that.
fn fabric(word: &str) -> Result<Fabric, String> {
    let (group, name) = match word.strip_prefix("group:").and_then(|rest| rest.rsplit_once('=')) {
        Some((group, name)) if !group.is_empty() => (Some(group.to_owned()), name),
        _ => (None, word),
    };
    let unknown =
        || "must be cotton, silk or denim, or group:NAME=FABRIC for a part of the garment".to_owned();
    Ok(Fabric { group, material: Material::preset(name).ok_or_else(unknown)? })
}

/// What to write.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write every frame to a point cache (.pc2, .mdd, .npy, or .npz with the faces), to one stage of USD
    /// with all bodies (.usda) or to a GLB file (.glb), or the last one to a mesh (.obj, .ply, .off, or .stl,
    /// which rounds to f32 and has no vertices), with the vertices of the garment's file.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write character and garment with their motion to one GLB file, which Blender and viewers of glTF play;
    /// as --out FILE.glb.
    #[arg(long, value_name = "FILE")]
    pub(crate) out_glb: Option<PathBuf>,
    /// Write one OBJ file per frame to this folder: the garment's file with new positions; may be combined
    /// with --out.
    #[arg(long, value_name = "DIR")]
    pub(crate) out_obj: Option<PathBuf>,
    /// Set the unit and axes of the output: those of the garment's file, or metres with y up; that of the
    /// scene, or file, by default.
    #[arg(long, value_name = "UNITS", value_parser = words(UNITS))]
    pub(crate) out_units: Option<Units>,
    /// Write PNG pictures to this folder, intersecting faces in red.
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
    /// Set the number of pictures, spread evenly over the time; that of the scene, or 6, by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000),
          requires = "pictures")]
    pub(crate) picture_count: Option<u32>,
    /// Set the size of a picture (pixels); that of the scene, or 640x480, by default.
    #[arg(long, value_name = "WxH", value_parser = size, requires = "pictures")]
    pub(crate) picture_size: Option<[u16; 2]>,
    /// Write a page that plays the run to this folder: index.html, index.js and player.js.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Choose what the page plays: run, or all, which simulates the scene once more without the gate; off
    /// writes no page.
    #[arg(long, value_name = "RUNS", default_value_t = PlayerChoice::Run, requires = "report")]
    pub(crate) player: PlayerChoice,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// The body that the garment falls on or is placed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyChoice {
    /// A ball whose radius fits the garment.
    Sphere,
    /// A person of 1.75 m made of capsules, feet at the origin.
    Figure,
    /// Nothing but the floor.
    None,
    /// What a character collides as.
    Character(CharacterBody),
    /// A mesh file.
    Mesh(PathBuf),
}

impl FromStr for BodyChoice {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(match word {
            "sphere" => Self::Sphere,
            "figure" => Self::Figure,
            "none" => Self::None,
            "skin" => Self::Character(CharacterBody::Skin),
            "proxies" => Self::Character(CharacterBody::Proxies),
            "both" => Self::Character(CharacterBody::Both),
            path => Self::Mesh(path.into()),
        })
    }
}
