//! Meshes with morph targets (shape keys), and the weights that move them: cloth in motion, as
//! [`write_glb`](crate::write_glb) and the exporters of modelling programs write it.

use std::path::Path;

use cloth_character::Affine;
use cloth_geom::TriMesh;
use nalgebra::{Point3, Vector3};

use super::{
    accessor::Buffers,
    check_header, container,
    document::{Document, Primitive},
    mesh_of,
    meshes::read_faces,
    nodes::Hierarchy,
    parse_document, unique,
};
use crate::glb::CUTS;
use crate::{FileError, read_file};

/// The most entries of all targets: they may share their accessors, so that a small file can ask for any
/// number.
const MAX_ENTRIES: usize = 1 << 26;

/// All meshes of a file that have morph targets, as one mesh, at each key of their weights.
///
/// Between two keys every vertex moves along a straight line, but for cuts, as
/// [`write_glb`](crate::write_glb) writes them: what leads to such a state is no motion. Positions are
/// rounded to `f32`, in which viewers compute them.
#[derive(Clone, Debug, Default)]
pub struct GltfShapes {
    /// Faces, and the positions of the first state (the file's unit, by the specification m; y up).
    pub mesh: TriMesh,
    /// What the reader left out or changed, a sentence each.
    pub notes: Vec<String>,
    /// When the states are (s), ascending; 0 alone without animation.
    times: Vec<f64>,
    /// The states that a cut leads to, ascending.
    cuts: Vec<usize>,
    parts: Vec<Part>,
}

/// A primitive with targets.
#[derive(Clone, Debug)]
struct Part {
    map: Affine,
    base: Vec<Vector3<f64>>,
    /// What each target adds.
    targets: Vec<Vec<[f32; 3]>>,
    weights: Weights,
}

/// The weights of the targets over time.
#[derive(Clone, Debug)]
struct Weights {
    /// Times of keys (s), ascending.
    times: Vec<f64>,
    /// Of each key, those of all targets.
    keys: Vec<f64>,
    targets: usize,
    /// Whether a key holds until the next.
    is_stepped: bool,
}

impl GltfShapes {
    /// How many states there are, at least 1.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.times.len()
    }

    /// When a state is (s); none beyond the last.
    #[must_use]
    pub fn time(&self, state: usize) -> Option<f64> {
        self.times.get(state).copied()
    }

    /// The states that a cut of a mesh leads to, ascending: it is elsewhere there than in the state before,
    /// and does not move from one to the other.
    #[must_use]
    pub fn cuts(&self) -> &[usize] {
        &self.cuts
    }

    /// The positions of a state; those of the last beyond it.
    #[must_use]
    pub fn positions(&self, state: usize) -> Vec<Point3<f64>> {
        let time = self.times.get(state).or(self.times.last()).copied().unwrap_or_default();
        self.parts.iter().flat_map(|part| part.positions(time)).collect()
    }
}

impl GltfShapes {
    /// Finds the states that the extras of the first animation name, and drops the further keys of cuts,
    /// which only repeat the state before or that of the cut.
    fn find_cuts(&mut self, document: &Document) {
        let named = document.animations.iter().find_map(|animation| animation.extras.get(CUTS)?.as_array());
        // Times of keys are `f32`.
        let named: Vec<f64> =
            named.into_iter().flatten().filter_map(|t| Some(f64::from(t.as_f64()? as f32))).collect();
        for &time in &named {
            let state = self.times.iter().position(|&t| t == time).unwrap_or_default();
            let Some(&[before, held, elsewhere]) = self.times[..state].last_chunk() else { continue };
            if self.repeats(before, held) && self.repeats(time, elsewhere) {
                self.times.retain(|&t| t != held && t != elsewhere);
            }
        }
        let states = self.times.iter().enumerate().skip(1);
        self.cuts = states.filter(|(_, time)| named.contains(time)).map(|(state, _)| state).collect();
    }

    /// Whether every mesh that has a key at a time, and there is one, is then as at another time.
    fn repeats(&self, time: f64, key: f64) -> bool {
        let mut with_key = self.parts.iter().filter(|part| part.weights.times.contains(&key)).peekable();
        with_key.peek().is_some() && with_key.all(|part| part.weights.at(time) == part.weights.at(key))
    }
}

impl Part {
    fn positions(&self, time: f64) -> impl Iterator<Item = Point3<f64>> + '_ {
        let weights: Vec<(usize, f64)> = self.weights.at(time);
        self.base.iter().enumerate().map(move |(v, base)| {
            let add = |&(target, weight): &(usize, f64)| {
                Vector3::from(self.targets[target][v]).cast::<f64>() * weight
            };
            let local = base + weights.iter().map(add).sum::<Vector3<f64>>();
            let local = if self.map == Affine::IDENTITY {
                Point3::from(local)
            } else {
                self.map.transform_point(&Point3::from(local))
            };
            local.cast::<f32>().cast()
        })
    }
}

impl Weights {
    /// The targets that count at a time, with their weights.
    fn at(&self, time: f64) -> Vec<(usize, f64)> {
        let next = self.times.partition_point(|&t| t <= time);
        let last = self.times.len().saturating_sub(1);
        let [a, b] = [next.saturating_sub(1), next.min(last)];
        let key = |k: usize| &self.keys[k * self.targets..(k + 1) * self.targets];
        let span = self.times[b] - self.times[a];
        let share = if self.is_stepped || span <= 0.0 { 0.0 } else { (time - self.times[a]).max(0.0) / span };
        let pairs = key(a).iter().zip(key(b)).enumerate();
        let mixed =
            pairs.map(|(target, (a, b))| (target, if share > 0.0 { a + (b - a) * share } else { *a }));
        mixed.filter(|(_, weight)| *weight != 0.0).collect()
    }
}

/// Reads the meshes with morph targets of a glTF 2.0 file, `.glb` or `.gltf`, and the weights of its first
/// animation that moves them; none if no mesh has targets and no skin.
///
/// Meshes without targets (a character), and those with a skin as well, are left out, which a note says.
///
/// # Errors
/// If the file cannot be read, is not valid, or requires an extension that is not supported.
pub fn read_shapes(path: &Path) -> Result<Option<GltfShapes>, FileError> {
    parse_shapes(path, &read_file(path)?)
}

/// As [`read_shapes`], of the bytes of a file; `path` names it in errors, and files that it names are looked
/// for next to it.
///
/// # Errors
/// Those of [`read_shapes`].
pub fn parse_shapes(path: &Path, bytes: &[u8]) -> Result<Option<GltfShapes>, FileError> {
    let (document, binary) = parse_document(path, bytes)?;
    let mut notes = Vec::new();
    let read = check_header(&document, &mut notes).and_then(|()| {
        let data = container::read_buffers(&document, path, binary);
        assemble(&Buffers { document: &document, data }, &mut notes)
    });
    let shapes = read.map_err(|e| FileError::new(path, e))?;
    Ok(shapes.map(|shapes| GltfShapes { notes: unique(notes), ..shapes }))
}

fn assemble(buffers: &Buffers<'_>, notes: &mut Vec<String>) -> Result<Option<GltfShapes>, String> {
    let document = buffers.document;
    let hierarchy = Hierarchy::new(document)?;
    let in_scene = hierarchy.in_scene(document)?;
    let moved = moved_nodes(document);
    let (mut shapes, mut left_out, mut entries) = (GltfShapes::default(), Vec::new(), 0);
    for (node, data) in document.nodes.iter().enumerate().filter(|&(node, _)| in_scene[node]) {
        let Some(index) = data.mesh else { continue };
        let (mesh, name) = mesh_of(document, node, index)?;
        if data.skin.is_some() || mesh.primitives.iter().all(|primitive| primitive.targets.is_empty()) {
            left_out.push(name);
            continue;
        }
        if hierarchy.is_below(node, &moved) {
            notes.push(format!("mesh {name:?} is also moved as a whole, which is left out"));
        }
        let map = hierarchy.world_map(document, node)?;
        for primitive in &mesh.primitives {
            let Some(part) = read_part(buffers, [node, index], &name, map, primitive, &mut entries, notes)?
            else {
                continue;
            };
            let first = shapes.parts.iter().map(|part| part.base.len()).sum::<usize>();
            let mode = primitive.mode.unwrap_or(4);
            let faces = read_faces(buffers, &name, primitive, mode, part.base.len())?;
            let beyond = || format!("the meshes have more than {} vertices", u32::MAX);
            let first = u32::try_from(first + part.base.len()).map(|_| first as u32).map_err(|_| beyond())?;
            shapes.mesh.faces.extend(faces.into_iter().map(|face| face.map(|v| v + first)));
            shapes.parts.push(part);
        }
    }
    if shapes.parts.is_empty() {
        return Ok(None);
    }
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|name| format!("{name:?}")).collect();
        notes.push(format!("left out, without morph targets or with a skin: {}", names.join(", ")));
    }
    shapes.times = shapes.parts.iter().flat_map(|part| part.weights.times.iter().copied()).collect();
    shapes.times.sort_by(f64::total_cmp);
    shapes.times.dedup();
    shapes.find_cuts(document);
    shapes.mesh.positions = shapes.positions(0);
    match (0..shapes.state_count()).find(|&state| !shapes.positions(state).iter().all(is_finite)) {
        Some(state) => Err(format!("a position is not finite in state {state}")),
        None => Ok(Some(shapes)),
    }
}

fn is_finite(p: &Point3<f64>) -> bool {
    p.iter().all(|x| x.is_finite())
}

/// The nodes that an animation moves as a whole.
fn moved_nodes(document: &Document) -> Vec<bool> {
    let mut moved = vec![false; document.nodes.len()];
    for channel in document.animations.iter().flat_map(|animation| &animation.channels) {
        if let Some(slot) = channel.target.node.and_then(|node| moved.get_mut(node)) {
            *slot |= channel.target.path != "weights";
        }
    }
    moved
}

/// Reads a primitive; `None` if there is no surface in it.
fn read_part(
    buffers: &Buffers<'_>,
    [node, mesh]: [usize; 2],
    name: &str,
    map: Affine,
    primitive: &Primitive,
    entries: &mut usize,
    notes: &mut Vec<String>,
) -> Result<Option<Part>, String> {
    let Some(&positions) = primitive.attributes.get("POSITION") else { return Ok(None) };
    if !(4..=6).contains(&primitive.mode.unwrap_or(4)) {
        notes.push(format!("mesh {name:?} consists of points or lines and is left out"));
        return Ok(None);
    }
    let base = buffers.read::<3>(positions, &format!("the positions of mesh {name:?}"))?;
    let mut targets = Vec::with_capacity(primitive.targets.len());
    for (number, target) in primitive.targets.iter().enumerate() {
        *entries += base.len();
        if *entries > MAX_ENTRIES {
            return Err(format!("its morph targets have more than {MAX_ENTRIES} positions"));
        }
        let what = format!("morph target {number} of mesh {name:?}");
        let added = match target.position {
            Some(positions) => buffers.read::<3>(positions, &what)?,
            None => vec![[0.0; 3]; base.len()],
        };
        if added.len() != base.len() {
            return Err(format!("{what} has {} positions, and the mesh {}", added.len(), base.len()));
        }
        targets.push(added.into_iter().map(|p| p.map(|x| x as f32)).collect());
    }
    let weights = read_weights(buffers, [node, mesh], name, targets.len(), notes)?;
    Ok(Some(Part { map, base: base.into_iter().map(Vector3::from).collect(), targets, weights }))
}

/// The weights of the first animation that moves those of a node, or those of its mesh.
fn read_weights(
    buffers: &Buffers<'_>,
    [node, mesh]: [usize; 2],
    name: &str,
    targets: usize,
    notes: &mut Vec<String>,
) -> Result<Weights, String> {
    let document = buffers.document;
    let mut moving = document.animations.iter().flat_map(|animation| {
        let own = animation.channels.iter();
        let own = own.filter(|channel| channel.target.node == Some(node) && channel.target.path == "weights");
        own.map(move |channel| (animation, channel))
    });
    let Some((animation, channel)) = moving.next() else {
        let mut keys = document.meshes[mesh].weights.clone();
        keys.resize(targets, 0.0);
        return Ok(Weights { times: vec![0.0], keys, targets, is_stepped: true });
    };
    if moving.next().is_some() {
        notes.push(format!("several animations move the shape of mesh {name:?}: the first is read"));
    }
    let sampler = animation.samplers.get(channel.sampler);
    let sampler =
        sampler.ok_or_else(|| format!("mesh {name:?} is moved by a sampler that does not exist"))?;
    let times = buffers.read::<1>(sampler.input, &format!("the times of the weights of mesh {name:?}"))?;
    let times: Vec<f64> = times.into_iter().map(|[t]| t).collect();
    let values = buffers.read::<1>(sampler.output, &format!("the weights of mesh {name:?}"))?;
    let mut keys: Vec<f64> = values.into_iter().map(|[w]| w).collect();
    let is_stepped = match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => false,
        Some("STEP") => {
            notes.push(format!(
                "mesh {name:?} jumps from key to key: between them it is taken to move in a line"
            ));
            true
        }
        Some("CUBICSPLINE") => {
            notes.push(format!(
                "mesh {name:?} moves along curves: between keys it is taken to move in a line"
            ));
            // Each key has a tangent on either side.
            keys = keys
                .chunks(3 * targets.max(1))
                .flat_map(|key| key.iter().skip(targets).take(targets))
                .copied()
                .collect();
            false
        }
        Some(other) => {
            return Err(format!("mesh {name:?} has the interpolation {other:?}, which is not known"));
        }
    };
    if times.is_empty() || keys.len() != times.len() * targets {
        let (keys, times) = (keys.len(), times.len());
        return Err(format!("mesh {name:?} has {keys} weights for {times} keys of {targets} morph targets"));
    }
    if times.windows(2).any(|pair| pair[0] >= pair[1]) || !times.iter().chain(&keys).all(|x| x.is_finite()) {
        return Err(format!("the keys of the weights of mesh {name:?} do not ascend, or are not finite"));
    }
    Ok(Weights { times, keys, targets, is_stepped })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_keys(is_stepped: bool) -> Weights {
        Weights { times: vec![1.0, 3.0], keys: vec![0.0, 1.0, 0.5, 0.0], targets: 2, is_stepped }
    }

    #[test]
    fn weights_are_linear_between_keys_and_constant_beyond() {
        let weights = two_keys(false);
        assert_eq!(weights.at(0.0), [(1, 1.0)]);
        assert_eq!(weights.at(1.0), [(1, 1.0)]);
        assert_eq!(weights.at(2.0), [(0, 0.25), (1, 0.5)]);
        assert_eq!(weights.at(3.0), [(0, 0.5)]);
        assert_eq!(weights.at(9.0), [(0, 0.5)]);
    }

    #[test]
    fn stepped_weights_hold_until_the_next_key() {
        let weights = two_keys(true);
        assert_eq!(weights.at(2.9), [(1, 1.0)]);
        assert_eq!(weights.at(3.0), [(0, 0.5)]);
    }
}
