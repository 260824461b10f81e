//! Seams that the user declares, and what they leave out of the figures of a state.

use std::path::Path;

use cloth_contacts::intersect::{Seam, Seams};
use cloth_io::obj::read_stitches;
use cloth_io::{FileError, read_pairs};
use cloth_scene::words::count;
use serde::Serialize;

/// Seams in one state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SeamCounts {
    /// Stitches.
    pub(super) declared: usize,
    /// Those whose ends are near enough.
    pub(super) closed: usize,
    /// How near that is, in the unit of the frames.
    pub(super) distance: f64,
    /// Intersections with those that closed seams join, which `intersections` leaves out.
    pub(super) raw_intersections: usize,
}

impl SeamCounts {
    /// With their labels.
    pub(super) fn lines(&self) -> [(&'static str, String); 2] {
        let Self { declared, closed, distance, raw_intersections } = *self;
        let closed = format!("{} of {}, within {distance}", count(closed), count(declared));
        [("closed seams", closed), ("intersections with those at seams", count(raw_intersections))]
    }
}

/// Reads the stitches of a file: an OBJ file with `stitch` records, or a text file with a pair of vertices on
/// each line. `vertex_map` says which of `vertices` each vertex of the file has become. Stitches of which
/// welding has made one vertex are left out. A seam is closed where its ends are within `distance`.
///
/// # Errors
/// If the file cannot be read, or names a vertex that the mesh has not.
pub fn read_seams(
    file: &Path,
    distance: f64,
    vertex_map: &[Option<u32>],
    vertices: usize,
) -> Result<Seams, FileError> {
    let is_obj = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"));
    let declared: Vec<Seam> = if is_obj {
        let records = read_stitches(file)?;
        records.iter().map(|s| Seam { vertex: s.vertex, edge: s.edge, ratio: s.ratio }).collect()
    } else {
        read_pairs(file)?.into_iter().map(|[a, b]| Seam::between(a, b)).collect()
    };
    let vertex = |v: u32| {
        let found = vertex_map.get(v as usize).copied().flatten();
        let text = || format!("names vertex {v}, but the mesh has {}, counted from 0", vertex_map.len());
        found.ok_or_else(|| FileError::new(file, text()))
    };
    let mut seams = Vec::new();
    for s in declared {
        let seam = Seam { vertex: vertex(s.vertex)?, edge: [vertex(s.edge[0])?, vertex(s.edge[1])?], ..s };
        if !seam.edge.contains(&seam.vertex) {
            seams.push(seam);
        }
    }
    Seams::new(seams, vertices, distance)
        .map_err(|v| FileError::new(file, format!("names vertex {v}, but the mesh has {vertices}")))
}
