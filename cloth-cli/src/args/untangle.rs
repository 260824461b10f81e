//! The arguments of `cloth untangle`.

use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::number::{non_negative, positive};
use super::words::{GATE, words};

/// Works garments free of intersections, as they stand, and says what remains.
///
/// A mesh is moved without gravity, keeps its shape as far as it can, and is checked exactly after every step
/// of 1/60 s. The state with the fewest intersections is written, unless the input has no more; also where
/// Ctrl-C ends the run. It is a heuristic: which side of a part was meant to be outside it knows from
/// --layers alone.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 clean, 1 intersections remain (OUT has fewer than IN, or is not written), \
    there are flat folds or faces on others, or more than 1 % of the faces were left out, 2 \
    could not run.\n\n\
    Examples:\n  \
    cloth untangle shirt.obj shirt-clean.obj --garment skirt.obj skirt-clean.obj --layers skirt,shirt\n  \
    cloth untangle shirt.obj shirt-clean.obj --body mannequin.obj"
)]
pub(crate) struct UntangleArgs {
    /// Mesh (OBJ, PLY, STL, OFF, USD), or glTF file or NumPy archive (NPZ) of one state.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// Mesh to write (OBJ, PLY, OFF, NPZ, or STL, which rounds to f32): as OBJ, of an OBJ file everything but
    /// the positions; else the faces, in the order of the vertices.
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Untangle another garment together with IN, each a cloth of its own in one unit and with one up axis;
    /// may be repeated.
    #[arg(long = "garment", value_names = ["IN", "OUT"], num_args = 2)]
    pub(crate) garments: Vec<PathBuf>,
    /// Give garments an order, from inside to outside: files of IN and --garment, or their names without
    /// folder or extension. Their faces have to point outward.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "garments")]
    pub(crate) layers: Vec<String>,
    /// Mesh (OBJ, PLY, STL, OFF, NPZ, USD) that stays where it is and that the cloth is to leave, in the unit
    /// and axes of IN; may be repeated.
    #[arg(long = "body", value_name = "MESH")]
    pub(crate) bodies: Vec<PathBuf>,
    /// Simulate at most this long (s), all attempts together.
    #[arg(long, value_name = "S", default_value_t = 3.0, allow_negative_numbers = true,
          value_parser = positive)]
    pub(crate) seconds: f64,
    /// Certify the motion of what does not intersect.
    #[arg(long, action = ArgAction::Set, value_parser = words(GATE), default_value = "on")]
    pub(crate) gate: bool,
    /// Set the distance that parts of the cloth keep, in the unit of IN. By default half the shortest edge;
    /// where 30 steps find nothing better, a quarter of that is tried, then a sixteenth, then
    /// from IN sixteen times it and a quarter.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) thickness: Option<f64>,
    /// Weld vertices that are at most this far apart (in the unit of IN), and none that are farther: of a
    /// longer chain of near vertices, parts; 0 welds equal positions; no welding by default.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative)]
    pub(crate) weld: Option<f64>,
    /// Call flat folds and faces on others clean: only intersections count.
    #[arg(long)]
    pub(crate) allow_folds: bool,
    /// Call OUT clean although more than 1 % of its faces were left out.
    #[arg(long)]
    pub(crate) allow_left_out: bool,
    /// Read stitches of IN as `cloth check` does. Those that are closed stay closed.
    #[arg(long, value_name = "FILE", requires = "seam_distance")]
    pub(crate) stitches: Option<PathBuf>,
    /// Treat a stitch as closed if its ends are at most this far apart, in the unit of IN.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative,
          requires = "stitches")]
    pub(crate) seam_distance: Option<f64>,
    /// Write a picture of IN and of the state with the fewest intersections side by side; what intersects is
    /// red.
    #[arg(long, value_name = "PNG")]
    pub(crate) picture: Option<PathBuf>,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
