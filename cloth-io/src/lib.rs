//! Cloth meshes, point caches and scene files, in and out.
