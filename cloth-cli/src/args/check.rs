//! The arguments of `cloth check`.

use std::path::PathBuf;

use clap::Args;
use cloth_io::ArrayNames;
use cloth_show::sweep::Shard;

use super::Wearing;
use super::number::{non_negative, positive};

/// Counts the exact self-intersections of meshes, of sequences, or of a mesh with its cache; with --body also
/// those of garments with their body.
///
/// An intersection is an edge and a face that share no vertex and have a point in common: crossing, touching,
/// or in one plane. There is no tolerance. The intersecting triangle pairs are what most tools count: pairs
/// that share no vertex and cross properly. Two faces on one edge that lie flat on each other are a flat
/// fold; a face of the same three points as another lies on it. A mesh that has any of these is not clean.
///
/// All frames may be clean although cloth passed through cloth between them. So the motion from each frame to
/// the next is checked too, with every vertex in linear motion: a vertex and a face, or two edges, that share
/// no vertex and touch during the motion count as a crossing, without a tolerance.
///
/// With --body, all MESHes are judged together as its garments: intersections and crossings by what they
/// belong to, the vertices of cloth inside of a body, the deepest of them, and the share of the area inside.
/// A vertex is inside where the winding number of the body is above one half. A body that intersects itself
/// is reported and never changes the verdict.
///
/// A folder stands for all meshes in it and below. Files of a folder or a pattern are the frames of one mesh
/// if their names differ by consecutive numbers alone and their topology is equal.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 clean, 1 intersections, flat folds, faces on others or crossings between \
    frames found, a vertex inside of a body, or more than 1 % of the faces left out, 2 a file was refused, \
    or no face was left to check (the others are still checked).\n\nExamples:\n  \
    cloth check garments/ --csv table.csv\n  \
    cloth check shirt.obj --cache shirt.pc2 --body body.obj --body-cache body.pc2"
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) wearing: Wearing,
    /// Check this clip of a glTF file with a skin, after its bind pose, with --body without it; may be
    /// repeated; all clips by default.
    #[arg(long, value_name = "NAME", conflicts_with = "remove_doubled")]
    pub(crate) clip: Vec<String>,
    /// Take so many frames of a second of a clip.
    #[arg(long, value_name = "HZ", allow_negative_numbers = true, value_parser = positive,
          default_value_t = 30.0)]
    pub(crate) clip_fps: f64,
    /// Judge the files of a folder or a pattern as frames, although numbers are missing; they have to be of
    /// one mesh.
    #[arg(long, conflicts_with = "each")]
    pub(crate) sequence: bool,
    /// Judge each file for itself, although they could be frames, and with --body each MESH for itself.
    #[arg(long)]
    pub(crate) each: bool,
    /// Print the whole block of figures of each mesh, not only a line, where there are several.
    #[arg(long)]
    pub(crate) details: bool,
    /// Write a table with a row for each mesh.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the figures of each mesh, one after another, as a line of JSON; what is there stays if the
    /// command is interrupted.
    #[arg(long, value_name = "FILE")]
    pub(crate) jsonl: Option<PathBuf>,
    /// Go on with the file of --jsonl: what it has of files that have not changed since, judged with the same
    /// options, is not judged again. Lines of meshes that are not in the list stay.
    #[arg(long, requires = "jsonl", conflicts_with = "json")]
    pub(crate) resume: bool,
    /// Judge only part I of N of the list of meshes, every N-th; `cloth merge` joins their files of --jsonl,
    /// of which each shard has its own. `auto` is the part of this task of a Slurm array, `auto/N` that among
    /// N.
    #[arg(long, value_name = "I/N", requires = "jsonl")]
    pub(crate) shard: Option<Shard>,
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
    /// Write the single MESH without the faces that lie on others (OBJ, PLY, STL, OFF, NPZ or USD), and check
    /// what was written.
    ///
    /// Of faces in one place the first stays. All vertices keep their numbers; where copies of a face had
    /// vertices of their own, faces name the first one, and the others are of no face. With --weld, so it is
    /// with vertices that were welded.
    #[arg(long, value_name = "OUT", conflicts_with_all = ["cache", "body"])]
    pub(crate) remove_doubled: Option<PathBuf>,
    /// Meshes (OBJ, PLY, STL, OFF), stages of USD or prims in them, as run.usda#/World/cloth, glTF files with
    /// shape keys, as `cloth simulate` writes them, or with skins, NumPy archives (NPZ) of faces and frames,
    /// folders, or patterns such as 'run/shirt_*.obj'.
    #[arg(value_name = "MESH", required = true)]
    pub(crate) meshes: Vec<PathBuf>,
    /// Read these arrays of NumPy archives: POSITIONS,FACES, or POSITIONS alone, with --cache of the archive
    /// that it names; by default those that data sets name so, or else the only ones that fit.
    #[arg(long, value_name = "NAMES")]
    pub(crate) arrays: Option<ArrayNames>,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Weld vertices that are at most this far apart (in the unit of the file), and none that are farther: of
    /// a longer chain of near vertices, parts; 0 welds equal positions; no welding by default.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative)]
    pub(crate) weld: Option<f64>,
    /// Test at most this many pairs of triangles with overlapping boxes in a state; a million take about a
    /// second.
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) max_pairs: u64,
    /// List up to this many intersections of the worst frame and as many crossings between frames, for each
    /// mesh.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) examples: usize,
}
