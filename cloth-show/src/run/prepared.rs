//! A scene ready to run: what is built of it, and what its run may not exceed.

use cloth_contacts::intersect::Seams;
use cloth_io::FileError;
use cloth_scene::words::counted;
use cloth_scene::{BuiltScene, Scene, SceneSource};
use cloth_solver::{ByParts, CoarseCloth, FaceContacts, Settings, Simulation};

use crate::{Failure, RunFiles};

/// With more intersections of cloth with a body than this, and than this part of the edges, a garment is not
/// on its body: no run is begun that nobody has asked for.
const HOPELESS: usize = 200;
const HOPELESS_SHARE: usize = 100;

/// A scene ready to run.
pub struct Prepared {
    /// For reports: the name of the scene's file, without extension.
    pub name: String,
    /// What moves in it.
    pub scene: BuiltScene,
    /// Its state.
    pub simulation: Simulation,
    /// Seams of the garments.
    pub seams: Seams,
    /// Threads that it runs on.
    pub threads: usize,
    /// What its run may not exceed.
    pub limits: Limits,
    /// Where it comes from.
    pub source: SceneSource,
}

/// What a run may not exceed at its start and at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Intersections of cloth up to which the last frame is accepted.
    pub end: u64,
    /// Those up to which there is a first frame; none: unless the start is hopeless.
    pub start: Option<u64>,
    /// Depth (m) of a face in a collider that is accepted; none: the thickness of the thinnest garment.
    pub depth: Option<f64>,
    /// Whether there is no first frame at all.
    pub only_start: bool,
}

impl Prepared {
    /// Builds the simulation of a scene; its steps use the threads of the pool that they are called in. What
    /// is written is compared with the files that the scene turned out to read.
    ///
    /// # Errors
    /// If a file cannot be read or would be written over, or if the solver refuses the scene.
    pub fn build(
        scene: &Scene,
        source: &SceneSource,
        limits: Limits,
        files: &RunFiles,
    ) -> Result<Self, Failure> {
        let mut built = scene.build(source)?;
        // Again: what the files of the scene name has been opened by now.
        files.check()?;
        let simulation = built.desc.build(Settings { threads: 1, ..scene.settings });
        let simulation = simulation.map_err(|e| FileError::new(source.path(), e.to_string()))?;
        if let Some(path) = &built.contact_file {
            files.confirm(path, "`contacts.file`")?;
        }
        built.notes.extend(built.keep_contacts(&simulation)?);
        built.notes.extend(coarse_garments(&built, &simulation));
        let seams = built
            .seams(&simulation)
            .map_err(|vertex| source.fail("garment.stitches", format!("vertex {vertex} does not exist")))?;
        if limits.only_start {
            built.frames = 0;
        }
        let (name, source) = (source.stem(), source.clone());
        let threads = rayon::current_num_threads();
        Ok(Self { name, scene: built, simulation, seams, threads, limits, source })
    }

    /// Number of vertices of all garments, which are the first of the simulation.
    #[must_use]
    pub fn cloth_vertices(&self) -> usize {
        self.scene.garments.iter().map(|garment| garment.mesh.positions.len()).sum()
    }

    /// The faces of all garments, which are the first of the simulation.
    pub(crate) fn cloth_faces(&self) -> Vec<[u32; 3]> {
        let count = self.scene.garments.iter().map(|garment| garment.mesh.faces.len()).sum();
        self.simulation.faces().iter().copied().take(count).collect()
    }

    /// Depth (m) of a face in a collider that is accepted.
    pub(crate) fn max_depth(&self) -> f64 {
        self.limits.depth.unwrap_or_else(|| self.scene.thickness())
    }
}

impl Limits {
    /// Why there is no first frame, if the start has so many intersections of cloth; `edges` are all edges of
    /// the scene.
    pub(crate) fn refuse_start(&self, parts: &ByParts<usize>, edges: usize) -> Option<String> {
        let ByParts { cloth_with_itself, cloth_with_cloth, cloth_with_body, body_with_itself: _ } = *parts;
        let all = cloth_with_itself + cloth_with_cloth + cloth_with_body;
        let found = counted(all, "intersection");
        match (self.start, self.only_start) {
            (Some(most), _) if all as u64 <= most => None,
            (Some(_), true) => Some(format!("the start has {found}")),
            (Some(most), false) => {
                Some(format!("the start has {found}, more than the {most} of --allow-start"))
            }
            (None, _) if cloth_with_body <= HOPELESS.max(edges / HOPELESS_SHARE) => None,
            (None, _) => Some(format!(
                "the start has {} with a body, which a run rarely untangles: --allow-start {all} runs all \
                 the same",
                counted(cloth_with_body, "intersection")
            )),
        }
    }
}

/// The garments whose faces are large compared with a body, a sentence each.
fn coarse_garments(built: &BuiltScene, simulation: &Simulation) -> Vec<String> {
    let sentence = |coarse: CoarseCloth| {
        let garment = &built.garments.get(coarse.cloth.index())?.name;
        let body = match built.bodies.name(coarse.collider.index()) {
            Some(name) => format!("{name}, collider {}", coarse.collider.index()),
            None => format!("collider {}", coarse.collider.index()),
        };
        let contacts = match (coarse.has_face_contacts, simulation.settings().face_contacts) {
            (true, FaceContacts::Auto | FaceContacts::On) => "its faces have contacts of their own",
            (true, FaceContacts::Off) => "its faces may be pierced, because --face-contacts is off",
            (false, _) => "its faces may be pierced, because a body of this kind has no contacts of faces",
        };
        let (edge, size) = (coarse.longest_edge, coarse.smallest_radius);
        Some(format!(
            "{garment}: faces of {edge:.3} m on a body of {size:.3} m ({body}): {contacts}; subdivide the \
             garment to edges below {:.3} m",
            0.5 * size
        ))
    };
    simulation.coarse_cloths().into_iter().filter_map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_allows_nothing_and_a_run_no_hopeless_start() {
        let limits = |start, only_start| Limits { start, only_start, ..Limits::default() };
        let with_body = |n| ByParts { cloth_with_itself: 5, cloth_with_body: n, ..ByParts::default() };
        let refused = |limits: Limits, n, edges| limits.refuse_start(&with_body(n), edges);
        assert_eq!(refused(limits(None, false), 200, 9000), None);
        assert_eq!(refused(limits(None, false), 300, 30_000), None, "a part of a large mesh");
        let why = refused(limits(None, false), 201, 9000).unwrap();
        assert!(
            why.starts_with("the start has 201 intersections with a body, ")
                && why.contains("--allow-start 206")
        );
        assert_eq!(refused(limits(Some(206), false), 201, 9000), None);
        assert!(refused(limits(Some(205), false), 201, 9000).unwrap().contains("the 205 of --allow-start"));
        assert!(refused(limits(Some(0), true), 0, 9000).is_some());
    }
}
