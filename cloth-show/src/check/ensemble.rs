//! The meshes that are judged together, as one: garments first, then bodies.

use std::sync::Arc;

use cloth_certify::Roles;
use cloth_geom::{Problem, Topology};
use cloth_io::FileError;
use nalgebra::Point3;

use super::{PreparedMesh, Subject};

/// Meshes that are judged together.
pub(super) struct Ensemble<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// All parts, one after another. Its numbers of the file are those of the files one after another.
    pub(super) mesh: Arc<PreparedMesh>,
    /// None for a mesh alone.
    pub(super) roles: Option<Roles>,
    pub(super) state_count: usize,
}

/// One of the meshes.
pub(super) struct Part<'a> {
    pub(super) subject: &'a mut Subject,
    /// Its first vertex and face in the numbers of the files one after another.
    pub(super) first: [usize; 2],
    /// What is wrong with it, in the numbers of its file.
    pub(super) problems: Vec<Problem>,
    /// What was done to it.
    pub(super) notes: Vec<String>,
    pub(super) left_out: usize,
    pub(super) pieces: usize,
    /// Its only state, once it was read.
    still: Option<Vec<Point3<f64>>>,
}

impl<'a> Ensemble<'a> {
    /// A mesh that is judged alone.
    ///
    /// # Errors
    /// If it has no faces to judge.
    pub(super) fn alone(subject: &'a mut Subject, weld: Option<f64>) -> Result<Self, FileError> {
        let state_count = subject.state_count();
        let (part, mesh) = Part::new(subject, [0; 2], weld)?;
        Ok(Self { parts: vec![part], mesh: Arc::new(mesh), roles: None, state_count })
    }

    /// Garments, and the bodies that wear them. What has one state stands still.
    ///
    /// # Errors
    /// If one has no faces to judge, or two have different numbers of states.
    pub(super) fn outfit(
        garments: &'a mut [Subject],
        bodies: &'a mut [Subject],
        weld: Option<f64>,
    ) -> Result<Self, FileError> {
        let state_count = common_state_count(garments.iter().chain(bodies.iter()))?;
        let is_body: Vec<bool> =
            (0..garments.len() + bodies.len()).map(|part| part >= garments.len()).collect();
        let (mut parts, mut meshes, mut first) = (Vec::new(), Vec::new(), [0; 2]);
        for subject in garments.iter_mut().chain(bodies) {
            let (part, mesh) = Part::new(subject, first, weld)?;
            first = [first[0] + part.subject.mesh.positions.len(), first[1] + part.subject.mesh.faces.len()];
            parts.push(part);
            meshes.push(mesh);
        }
        let mut of_vertex = Vec::new();
        for (part, mesh) in (0..).zip(&meshes) {
            of_vertex.resize(of_vertex.len() + mesh.sources.len(), part);
        }
        let roles = Roles::new(of_vertex, is_body).map_err(|e| parts[0].refuse(e.to_string()))?;
        let mesh = Arc::new(join(&parts, &meshes));
        Ok(Self { parts, mesh, roles: Some(roles), state_count })
    }

    /// Where the vertices of the mesh are in a state (m).
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read(&mut self, state: usize) -> Result<Vec<Point3<f64>>, FileError> {
        if self.roles.is_none() {
            return Ok(self.mesh.positions(&self.parts[0].subject.read(state)?));
        }
        let mut all = Vec::new();
        for part in &mut self.parts {
            part.append(state, &mut all)?;
        }
        Ok(self.mesh.positions(&all))
    }

    /// The number of a state, as the first part counts that has several.
    pub(super) fn frame_number(&self, state: usize) -> Option<f64> {
        let moving = self.parts.iter().find(|part| part.subject.state_count() > 1);
        moving.unwrap_or(&self.parts[0]).subject.frame_number(state)
    }

    /// The part of a vertex, in the numbers of the files one after another, and its number in its own file.
    pub(super) fn vertex(&self, vertex: u32) -> (usize, u32) {
        self.place(0, vertex)
    }

    /// The same of a face.
    pub(super) fn face(&self, face: u32) -> (usize, u32) {
        self.place(1, face)
    }

    fn place(&self, kind: usize, number: u32) -> (usize, u32) {
        let after = self.parts.partition_point(|part| part.first[kind] <= number as usize);
        let part = after.saturating_sub(1);
        (part, number - self.parts[part].first[kind] as u32)
    }

    /// A name of a part for sentences: its file name, where no other part has that.
    pub(super) fn label(&self, part: usize) -> String {
        let name = |part: usize| self.parts[part].subject.path.file_name();
        let is_unique = (0..self.parts.len()).filter(|&other| name(other) == name(part)).count() == 1;
        match name(part).filter(|_| is_unique) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.parts[part].subject.path.display().to_string(),
        }
    }

    pub(super) fn refuse(&self, text: impl AsRef<str>) -> FileError {
        self.parts[0].refuse(text)
    }
}

impl<'a> Part<'a> {
    fn new(
        subject: &'a mut Subject,
        first: [usize; 2],
        weld: Option<f64>,
    ) -> Result<(Self, PreparedMesh), FileError> {
        let mut mesh =
            PreparedMesh::new(&subject.mesh, weld).map_err(|e| FileError::new(&subject.path, e))?;
        let part = Part {
            subject,
            first,
            problems: std::mem::take(&mut mesh.problems),
            notes: std::mem::take(&mut mesh.notes),
            left_out: mesh.left_out,
            pieces: mesh.topology.components().count,
            still: None,
        };
        Ok((part, mesh))
    }

    fn append(&mut self, state: usize, all: &mut Vec<Point3<f64>>) -> Result<(), FileError> {
        let stands_still = self.subject.state_count() == 1;
        if let Some(still) = self.still.as_ref().filter(|_| stands_still) {
            all.extend_from_slice(still);
            return Ok(());
        }
        let positions = self.subject.read(if stands_still { 0 } else { state })?;
        if let Some(v) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(self.refuse(format!("state {state}: vertex {v} is not finite; correct it")));
        }
        all.extend_from_slice(&positions);
        self.still = stands_still.then_some(positions);
        Ok(())
    }

    fn refuse(&self, text: impl AsRef<str>) -> FileError {
        FileError::new(&self.subject.path, text)
    }
}

/// As many states as those have that move, or one.
fn common_state_count<'s>(subjects: impl Iterator<Item = &'s Subject>) -> Result<usize, FileError> {
    let mut moving = subjects.filter(|subject| subject.state_count() > 1);
    let Some(first) = moving.next() else { return Ok(1) };
    let count = first.state_count();
    match moving.find(|other| other.state_count() != count) {
        None => Ok(count),
        Some(other) => Err(FileError::new(
            other.states_path(),
            format!(
                "has {} frames, but {} has {count}; give frames of the same times",
                other.state_count(),
                first.states_path().display()
            ),
        )),
    }
}

/// The meshes of the parts, one after another.
fn join(parts: &[Part<'_>], meshes: &[PreparedMesh]) -> PreparedMesh {
    let topology = Topology::concat(meshes.iter().map(|mesh| &mesh.topology));
    let (mut face_ids, mut sources, mut vertex_map) = (Vec::new(), Vec::new(), Vec::new());
    for (part, mesh) in parts.iter().zip(meshes) {
        let [vertex, face] = part.first.map(|first| first as u32);
        let own = sources.len() as u32;
        face_ids.extend(mesh.face_ids.iter().map(|f| f + face));
        sources.extend(mesh.sources.iter().map(|v| v + vertex));
        vertex_map.extend(mesh.vertex_map.iter().map(|new| new.map(|v| v + own)));
    }
    let left_out = parts.iter().map(|part| part.left_out).sum();
    let (problems, notes) = (Vec::new(), Vec::new());
    PreparedMesh { topology, face_ids, sources, vertex_map, left_out, problems, notes }
}
