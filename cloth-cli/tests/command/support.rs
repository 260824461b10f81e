//! Runs the command, and makes the meshes that it is run on.

use std::path::Path;
use std::process::Command;

use cloth_geom::TriMesh;
use nalgebra::Point3;

pub(crate) use crate::process::{Ran, assert_refused, json, ran, ran_watched, text};

impl Ran {
    /// The verdict of `cloth simulate`: the last line that is none of its figures.
    pub(crate) fn verdict(&self) -> &str {
        self.out.lines().rev().find(|line| !line.starts_with(' ')).expect("a line")
    }
}

/// Runs `cloth` with arguments.
pub(crate) fn cloth<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    ran(Command::new(env!("CARGO_BIN_EXE_cloth")).args(arguments))
}

/// Runs `cloth` with arguments, and with some vector instructions.
pub(crate) fn cloth_with(simd: &str, arguments: &[&str]) -> Ran {
    ran(Command::new(env!("CARGO_BIN_EXE_cloth")).env("CLOTH_SIMD", simd).args(arguments))
}

/// Runs `cloth` with arguments on files of others, on which it might hang.
pub(crate) fn cloth_watched(folder: &Path, arguments: &[&str]) -> Ran {
    ran_watched(folder, Command::new(env!("CARGO_BIN_EXE_cloth")).args(arguments))
}

/// Writes a mesh to a folder, and gives its path.
pub(crate) fn write(folder: &Path, name: &str, mesh: &TriMesh) -> String {
    let path = folder.join(name);
    cloth_io::write_obj(&path, mesh).expect("it can be written");
    text(&path)
}

/// A flat sheet of a width (m) on the ground, side by side of vertices.
pub(crate) fn sheet(side: usize, width: f64) -> TriMesh {
    cloth_geom::fixtures::sheet(side, side, [width, width]).expect("a sheet").mesh
}

/// Two triangles, of which two edges of the second cross the first.
pub(crate) fn crossing() -> TriMesh {
    let at = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., -1., 1.], [1., 2., 1.], [1.5, 2., 1.5]];
    TriMesh::new(at.map(Point3::from).to_vec(), vec![[0, 1, 2], [3, 4, 5]])
}
