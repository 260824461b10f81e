//! The arguments of `cloth check`.

use std::path::PathBuf;

use clap::Args;

use super::MeshArgs;
use super::number::non_negative;

/// Counts the exact self-intersections of meshes, of sequences, or of a mesh with its cache.
///
/// An intersection is an edge and a face that share no vertex and have a point in common: crossing, touching,
/// or in one plane. There is no tolerance. The intersecting triangle pairs are what most tools count: pairs
/// that share no vertex and cross properly. Two faces on one edge that lie flat on each other are a flat
/// fold; a face of the same three points as another lies on it. A mesh that has any of these is not clean.
///
/// All frames may be clean although cloth passed through cloth between them. So the motion from each frame to
/// the next is checked too, with every vertex in linear motion: a vertex and a face, or two edges, that share
/// no vertex and touch during the motion count as a crossing, without a tolerance.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 clean, 1 intersections, flat folds, faces on others or crossings between \
    frames found, or more than 1 % of the faces left out, 2 a file was refused, or no face was left to check \
    (the others are still checked).\n\nExample:\n  cloth check shirt.obj --cache shirt.pc2 --json shirt.json"
)]
pub(crate) struct CheckArgs {
    /// Check the frames of this point cache (PC2, NPY, NPZ), with the faces of the single MESH.
    #[arg(long, value_name = "CACHE")]
    pub(crate) cache: Option<PathBuf>,
    /// Check this clip of a glTF file with a skin, after its bind pose; may be repeated; all clips by
    /// default.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["cache", "remove_doubled"])]
    pub(crate) clip: Vec<String>,
    /// Check only the frames, not the motion between them: faster, and correct for frames that are unrelated
    /// poses.
    #[arg(long)]
    pub(crate) frames_only: bool,
    /// Do not judge the motion to these frames, to which a cut leads: cloth is elsewhere in them than in the
    /// frame before, as `cloth simulate` says where it teleports. Numbers are those of the sequence or the
    /// cache, separated by commas; a GLB file of `cloth simulate` names its cuts itself.
    #[arg(
        long,
        value_name = "FRAMES",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "frames_only"
    )]
    pub(crate) cut: Vec<f64>,
    /// Read stitches from a text file with a pair of vertices on each line, or from an OBJ file with `stitch`
    /// records.
    ///
    /// Where the ends of a stitch are within --seam-distance, its vertices count as one, and pairs that share
    /// it do not intersect.
    #[arg(long, value_name = "FILE", requires = "seam_distance")]
    pub(crate) stitches: Option<PathBuf>,
    /// Treat a stitch as closed if its ends are at most this far apart, in the unit of the frames.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative,
          requires = "stitches")]
    pub(crate) seam_distance: Option<f64>,
    /// Call flat folds and faces on others clean: only intersections and crossings count.
    #[arg(long)]
    pub(crate) allow_folds: bool,
    /// Call a mesh clean although more than 1 % of its faces were left out of the check.
    #[arg(long)]
    pub(crate) allow_left_out: bool,
    /// Write the single MESH without the faces that lie on others, and check what was written.
    ///
    /// Of faces in one place the first stays. All vertices keep their numbers; where copies of a face had
    /// vertices of their own, faces name the first one, and the others are of no face. With --weld, so it is
    /// with vertices that were welded.
    #[arg(long, value_name = "OUT.obj", conflicts_with = "cache")]
    pub(crate) remove_doubled: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: MeshArgs,
    /// List up to this many intersections of the worst frame and as many crossings between frames, for each
    /// mesh.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) examples: usize,
}
