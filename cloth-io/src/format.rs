//! The formats of meshes and of caches, by the extensions of their files, and a way for files of others.

use std::path::Path;

use crate::{FileError, character::is_gltf, usd::FLATTEN};

/// The extensions that [`read_mesh`](crate::read_mesh) and [`write_mesh`](crate::write_mesh) know.
pub const MESH_EXTENSIONS: [&str; 6] = ["obj", "ply", "stl", "off", "npz", "usda"];

/// The extensions of point caches, which [`PointCache`](crate::PointCache) reads.
pub const CACHE_EXTENSIONS: [&str; 6] = ["pc2", "pc16", "mdd", "usda", "npy", "npz"];

/// Extensions of meshes that have readers of their own.
const GLTF: [&str; 2] = ["glb", "gltf"];

/// What makes a mesh that is read of a file that is not.
const REMEDIES: [(&[&str], &str); 9] = [
    (&["vtk", "vtu", "msh", "inp", "mesh", "xdmf", "med"], "`meshio convert IN OUT.ply` makes a PLY of it"),
    (&["usd", "usdc", "usdz"], FLATTEN),
    (&["abc"], "import it into Blender or Houdini and export USD as text (`.usda`)"),
    (
        &["fbx", "dae", "blend", "3mf", "max", "ma", "mb", "c4d"],
        "export OBJ, PLY or GLB from the program that reads it, such as Blender",
    ),
    (&["stp", "step", "igs", "iges", "brep"], "make a mesh of it in FreeCAD or Gmsh and export STL"),
    (
        &["pkl", "pickle", "pt", "pth", "mat", "h5", "hdf5"],
        "save its arrays by numpy.savez(\"mesh.npz\", vertices=..., faces=...)",
    ),
    (
        &["npy"],
        "it is one array: save it with its faces by numpy.savez(\"mesh.npz\", vertices=..., faces=...), or \
         give it as a cache of a mesh",
    ),
    (&["pc2", "pc16", "mdd"], "it is a cache without faces: name its mesh, and give it as the cache of that"),
    (&["mc", "mcx", "bphys"], "it is a cache without faces: export PC2 or MDD, and name its mesh"),
];

/// Whether the extension is that of a mesh, in either case: one of [`MESH_EXTENSIONS`], or of glTF, which
/// [`read_shapes`](crate::read_shapes) and [`read_character`](crate::read_character) read.
///
/// A cache is no mesh, though an archive (`.npz`) may turn out to be one.
#[must_use]
pub fn is_mesh_file(path: &Path) -> bool {
    MESH_EXTENSIONS.contains(&extension(path).as_str()) || is_gltf(path)
}

/// The extensions of all meshes that are read, in words.
#[must_use]
pub fn known_meshes() -> String {
    MESH_EXTENSIONS.iter().chain(&GLTF).copied().collect::<Vec<_>>().join(", ")
}

/// The file that a path names, and the prim of it: `run.usda#/World/cloth` is a part of a USD stage.
#[must_use]
pub fn split_prim(path: &Path) -> (&Path, Option<&str>) {
    let is_stage = |file: &Path| {
        let extension = file.extension().unwrap_or_default();
        ["usd", "usda", "usdc", "usdz"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    let found = path.to_str().and_then(|text| {
        let mut parts = text.match_indices('#').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
        parts.find(|(file, _)| is_stage(file))
    });
    found.map_or((path, None), |(file, prim)| (file, Some(prim)))
}

/// The extension in lower case; empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    split_prim(path).0.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// What makes a cache that is read of a file that is not.
const CACHE_REMEDIES: [(&[&str], &str); 4] = [
    (&["usd", "usdc", "usdz"], FLATTEN),
    (
        &["abc", "fbx", "mc", "mcx", "bphys", "blend", "glb", "gltf"],
        "play it in Blender or Houdini and export PC2, MDD or a sequence of OBJ files",
    ),
    (
        &["pkl", "pickle", "pt", "pth", "mat", "h5", "hdf5"],
        "save its positions by numpy.save(\"cache.npy\", ...)",
    ),
    (
        &["vtk", "vtu", "vtp", "pvd", "xdmf"],
        "save its positions by meshio and numpy.save(\"cache.npy\", ...)",
    ),
];

/// The caches that are read, and how this file becomes one.
pub(crate) fn known_caches(path: &Path) -> String {
    format!("known caches are: {}{}", CACHE_EXTENSIONS.join(", "), remedy(path, &CACHE_REMEDIES))
}

/// What is to be done with a file of this extension, behind a semicolon; nothing if it is not known.
fn remedy(path: &Path, remedies: &[(&[&str], &str)]) -> String {
    let extension = extension(path);
    let found = remedies.iter().find(|(extensions, _)| extensions.contains(&extension.as_str()));
    found.map_or(String::new(), |(_, remedy)| format!("; {remedy}"))
}

/// The error about a file whose extension is not that of a mesh.
pub(crate) fn no_mesh(path: &Path) -> FileError {
    let extension = extension(path);
    if is_gltf(path) {
        let text = "is a glTF file, which is no mesh alone; export the mesh as OBJ or PLY, or give the file \
                    as a character";
        return FileError::new(path, text);
    }
    let known = known_meshes();
    let remedy = remedy(path, &REMEDIES);
    FileError::new(path, format!("extension {extension:?} is not a mesh format; known are: {known}{remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_known_by_their_extensions_and_caches_are_none() {
        for name in ["a.obj", "a.PLY", "a.Stl", "a.off", "a.npz", "a.glb", "a.gltf"] {
            assert!(is_mesh_file(Path::new(name)), "{name}");
        }
        assert_eq!(split_prim(Path::new("a#b/c.USDA#/x/y#z")), (Path::new("a#b/c.USDA"), Some("/x/y#z")));
        for name in ["a.usda", "#a.usda", "a#x.usda", "a.obj#usda", "usda#x"] {
            assert_eq!(split_prim(Path::new(name)), (Path::new(name), None));
        }
        for name in ["a.pc2", "a.npy", "a.vtk", "a", ".obj", "obj"] {
            assert!(!is_mesh_file(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn names_a_way_for_each_format_that_is_not_read() {
        for (name, way) in [
            ("a.vtk", "meshio convert"),
            ("a.MSH", "meshio convert"),
            ("a.usdc", "usdcat --flatten"),
            ("a.usdz#/x", "usdcat --flatten"),
            ("a.abc", "export USD as text"),
            ("a.fbx", "export OBJ, PLY or GLB"),
            ("a.step", "FreeCAD"),
            ("a.pkl", "numpy.savez"),
            ("a.npy", "one array"),
            ("a.pc2", "without faces"),
            ("a.MDD", "as the cache of that"),
            ("a.mc", "export PC2 or MDD"),
            ("a.glb", "as a character"),
        ] {
            let problem = no_mesh(Path::new(name)).problem;
            assert!(problem.contains(way) && !problem.ends_with("..."), "{name}: {problem}");
        }
        assert!(known_caches(Path::new("a.abc")).ends_with("or a sequence of OBJ files"));
        assert_eq!(known_caches(Path::new("a.x")), "known caches are: pc2, pc16, mdd, usda, npy, npz");
        let unknown =
            "extension \"\" is not a mesh format; known are: obj, ply, stl, off, npz, usda, glb, gltf";
        assert_eq!(no_mesh(Path::new("shirt")).problem, unknown);
    }
}
