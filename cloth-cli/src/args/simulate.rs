//! The arguments of `cloth simulate`.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::number::{non_negative, positive, size};
use super::{AnimationArgs, Gate, PlacingArgs};

/// Simulates a scene file, or a garment on a body over a floor, and judges every frame exactly.
///
/// Without a scene file, the garment is placed by itself, see --place: it stays where it is on a mesh body, and is put on the
/// figure where its openings fit, otherwise above the body. The default thickness is half the shortest rest edge; where that is a sliver, half the shortest hundredth.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 the last frame is clean, 1 it intersects, 2 could not run.\n\n\
    Example:\n  cloth simulate --garment tshirt.obj --unit 0.1 --body figure --out tshirt.pc2 --pictures shots")]
pub(crate) struct SimulateArgs {
    /// Scene file; see cloth-io/examples/scene.toml for every key.
    #[arg(value_name = "SCENE.toml")]
    pub(crate) scene: Option<PathBuf>,
    /// Threads; they change the time, never the result. 1, or what the scene says, by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Whether the motion of every substep is certified before it is accepted; on, or what the scene says, by default.
    #[arg(long, value_enum)]
    pub(crate) gate: Option<Gate>,
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
    /// The garment, OBJ or PLY.
    #[arg(long, value_name = "MESH", conflicts_with = "scene")]
    pub(crate) garment: Option<PathBuf>,
    /// Metres in a unit of the garment's file; 1 by default.
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive, conflicts_with = "scene")]
    pub(crate) unit: Option<f64>,
    /// The axis that points up in the files; y by default.
    #[arg(long, value_enum, conflicts_with = "scene")]
    pub(crate) up: Option<UpAxis>,
    /// Join vertices that are at most this far apart (m).
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative, conflicts_with = "scene")]
    pub(crate) weld: Option<f64>,
    /// Shape without tension: `start`, `uv`, or a mesh file; start by default.
    #[arg(long, value_name = "REST", conflicts_with = "scene")]
    pub(crate) rest: Option<String>,
    /// What wears it: sphere, figure, none, or a closed mesh in the garment's coordinates; sphere by default.
    #[arg(long, value_name = "BODY", conflicts_with = "scene")]
    pub(crate) body: Option<BodyChoice>,
    /// Metres in a unit of the body's file; that of the garment by default.
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive, conflicts_with = "scene")]
    pub(crate) body_unit: Option<f64>,
    /// Fabric: cotton, silk or denim; cotton by default.
    #[arg(long, value_name = "NAME", conflicts_with = "scene")]
    pub(crate) material: Option<String>,
    /// Distance that cloth keeps from cloth (m).
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = positive, conflicts_with = "scene")]
    pub(crate) thickness: Option<f64>,
    /// Steps in a frame.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "scene")]
    pub(crate) substeps: Option<u32>,
    /// Simulated time (s); 3 by default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive, conflicts_with = "scene")]
    pub(crate) seconds: Option<f64>,
    /// Frames in a second; 60 by default.
    #[arg(long, value_name = "HZ", allow_negative_numbers = true, value_parser = positive, conflicts_with = "scene")]
    pub(crate) fps: Option<f64>,
    #[command(flatten)]
    pub(crate) animation: AnimationArgs,
    #[command(flatten)]
    pub(crate) placing: PlacingArgs,
}

/// What to write.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write every frame to a PC2 cache (.pc2), or the last one to an OBJ file (.obj), with the vertices of the garment's file.
    #[arg(long, value_name = "FILE", conflicts_with = "out_obj")]
    pub(crate) out: Option<PathBuf>,
    /// Write one OBJ file a frame to this folder: the garment's file with other positions.
    #[arg(long, value_name = "DIR")]
    pub(crate) out_obj: Option<PathBuf>,
    /// Unit and axes of what is written: those of the garment's file, or metres, y up; file, or what the scene says, by default.
    #[arg(long, value_enum, value_name = "UNITS")]
    pub(crate) out_units: Option<UnitsArg>,
    /// Write PNG pictures to this folder, intersecting faces in red.
    #[arg(long, value_name = "DIR")]
    pub(crate) pictures: Option<PathBuf>,
    /// How many pictures, spread evenly over the time; 6, or what the scene says, by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), requires = "pictures")]
    pub(crate) picture_count: Option<u32>,
    /// Size of a picture (pixels); 640x480, or what the scene says, by default.
    #[arg(long, value_name = "WxH", value_parser = size, requires = "pictures")]
    pub(crate) picture_size: Option<[u16; 2]>,
    /// Write the figures as JSON, the fields of one verify scenario.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// The unit and axes of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnitsArg {
    /// Those of the garment's file.
    File,
    /// Metres, y up, as simulated.
    Metres,
}

/// The axis of a file that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpAxis {
    /// As in the simulation.
    Y,
    /// As Blender has it.
    Z,
}

/// What the garment falls on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyChoice {
    /// A ball whose radius fits the garment.
    Sphere,
    /// A person made of capsules.
    Figure,
    /// Nothing but the floor.
    None,
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
            path => Self::Mesh(path.into()),
        })
    }
}
