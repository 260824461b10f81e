//! Scene fingerprint: decides whether a checkpoint is compatible with a simulation.
//!
//! A checkpoint refers to vertices, faces and constraints by index, and a run continues with the same bits
//! only with equal masses, rest shapes and contact rules. So the fingerprint lists everything that a
//! simulation was built of by name, with a hash each; the first differing entry is reported by name.

use std::borrow::Cow;
use std::fmt::{Debug, Display, Formatter, Write};

use cloth_geom::{Fnv1a, TriMesh, fnv1a};

use crate::describe::cloth_asset::SceneCloth;
use crate::describe::elastic_model::ErasedElasticModel;
use crate::{ClothDesc, Collider, MeshBodyDesc, RestShape, Settings};

/// Name of the gate's entry.
const GATE: &str = "the gate (`Settings::gate`)";

/// The fingerprint of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SceneFingerprint(Vec<Entry>);

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Entry {
    what: Cow<'static, str>,
    subject: Subject,
    value: EntryValue,
}

/// What an entry describes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Subject {
    All,
    Cloth(usize),
    Body(usize),
    Collider(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum EntryValue {
    Count(usize),
    Switch(bool),
    Hash(u64),
}

impl SceneFingerprint {
    /// The first difference from the fingerprint of a snapshot; `None` if they are compatible.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        // Counts come first, so entries are aligned up to the first difference.
        let mut pairs = self.0.iter().zip(&other.0);
        let different = pairs.find(|(ours, theirs)| ours != theirs);
        match different {
            Some((ours, theirs)) => Some(ours.difference(theirs)),
            None if self.0.len() != other.0.len() => Some("what it was built of differs".into()),
            None => None,
        }
    }

    pub(crate) fn count(&mut self, what: &'static str, count: usize) {
        self.add(what, Subject::All, EntryValue::Count(count));
    }

    /// Adds a hash of the `Debug` output of a value: all fields, numbers in round-trip precision.
    pub(crate) fn debug_hash(&mut self, what: &'static str, value: &impl Debug) {
        self.add(what, Subject::All, debug_hash(value));
    }

    pub(crate) fn cloth(&mut self, index: usize, cloth: &SceneCloth) {
        let ClothDesc {
            mesh,
            rest,
            material,
            face_materials,
            thickness,
            masses,
            layer,
            pins,
            attachments,
            stitches,
            exclusions,
            regions,
            particles,
            tethers,
            drive,
            local_frame,
            damping,
            // Whether it is accepted, not what it is.
            coincident_borders: _,
        } = &**cloth;
        let subject = Subject::Cloth(index);
        self.mesh(subject, mesh);
        if let Some(pose) = cloth.pose() {
            self.add("pose", subject, debug_hash(pose));
        }
        self.add("rest shape", subject, rest_shape(rest));
        let attached: Vec<_> = attachments.iter().map(|a| (a.vertex, a.compliance)).collect();
        let inertia_scale = local_frame.map(|local_frame| local_frame.inertia_scale);
        let fabrics = (material, face_materials);
        // So that cloth of one fabric keeps the fingerprint of snapshots that know no other.
        let fabric: &dyn Debug = if face_materials.is_empty() { material } else { &fabrics };
        let entries: [(_, &dyn Debug); 12] = [
            ("material", fabric),
            ("thickness", thickness),
            ("masses and pins at the start", &(masses, pins)),
            ("layer", layer),
            ("stitches", stitches),
            ("exclusions", exclusions),
            ("regions", regions),
            ("choice of particles", particles),
            ("tethers", tethers),
            ("drive", drive),
            ("local frame", &inertia_scale),
            ("damping", damping),
        ];
        self.add("attachments", subject, EntryValue::Count(attached.len()));
        self.add("attachments", subject, debug_hash(&attached));
        entries.iter().for_each(|&(what, value)| self.add(what, subject, debug_hash(value)));
    }

    pub(crate) fn body(&mut self, index: usize, MeshBodyDesc { mesh, thickness }: &MeshBodyDesc) {
        self.mesh(Subject::Body(index), mesh);
        self.add("thickness", Subject::Body(index), debug_hash(thickness));
    }

    /// Replaces the entries of colliders, which come last.
    pub(crate) fn colliders(&mut self, colliders: &[Collider]) {
        self.0.retain(|entry| !matches!(entry.subject, Subject::Collider(_)));
        if let Some(count) =
            self.0.iter_mut().find(|entry| entry.what == "colliders" && entry.subject == Subject::All)
        {
            count.value = EntryValue::Count(colliders.len());
        }
        for (index, collider) in colliders.iter().enumerate() {
            self.add("shape", Subject::Collider(index), EntryValue::Hash(collider.shape.fingerprint()));
            self.add("friction", Subject::Collider(index), debug_hash(&collider.friction));
            let is_guarded = collider.guarded_axis().is_some();
            self.add("guard (`Collider::guarded`)", Subject::Collider(index), debug_hash(&is_guarded));
        }
    }

    /// Updates the entry of the gate.
    pub(crate) fn set_gate(&mut self, gate: bool) {
        self.0
            .iter_mut()
            .filter(|entry| entry.what == GATE)
            .for_each(|entry| entry.value = EntryValue::Switch(gate));
    }

    /// Adds the settings that decide what a checkpoint contains or means, and the elastic model of the caller
    /// in the place of theirs.
    pub(crate) fn settings(&mut self, settings: &Settings, custom: Option<&dyn ErasedElasticModel>) {
        let Settings {
            model,
            gate,
            self_collision,
            contacts,
            layer_order,
            layer_depth,
            particles,
            // The others may change between two steps.
            face_contacts: _,
            substeps: _,
            iterations: _,
            stretch_cycles: _,
            relaxation: _,
            wind_interval: _,
            detect_interval: _,
            contact_iterations: _,
            friction_iterations: _,
            gravity: _,
            wind: _,
            air_damping: _,
            velocity_limit: _,
            self_friction: _,
            recovery: _,
            sleep: _,
            teleport: _,
            contact_recovery_time: _,
            recovery_speed: _,
            threads: _,
            candidate_slack: _,
            max_radii_per_substep: _,
        } = settings;
        self.add(
            "self-collision (`Settings::self_collision`)",
            Subject::All,
            EntryValue::Switch(*self_collision),
        );
        self.add(GATE, Subject::All, EntryValue::Switch(*gate));
        self.add(
            "the order of layers (`Settings::layer_order`)",
            Subject::All,
            EntryValue::Switch(*layer_order),
        );
        match custom {
            None => self.debug_hash("setting `model`", model),
            Some(custom) => {
                let what = format!("elastic model `{}`", custom.model_name());
                self.add(what, Subject::All, debug_hash(custom));
            }
        }
        self.debug_hash("setting `contacts`", contacts);
        self.debug_hash("setting `layer_depth`", layer_depth);
        self.debug_hash("setting `particles.rest`", &particles.rest);
    }

    fn mesh(&mut self, subject: Subject, mesh: &TriMesh) {
        self.add("vertices", subject, EntryValue::Count(mesh.positions.len()));
        self.add("faces", subject, EntryValue::Count(mesh.faces.len()));
        self.add("faces", subject, hash(mesh.faces.iter().flatten().map(|&v| u64::from(v))));
        let start = mesh.positions.iter().flat_map(|p| [p.x, p.y, p.z]);
        self.add("start positions", subject, hash(start.map(f64::to_bits)));
    }

    fn add(&mut self, what: impl Into<Cow<'static, str>>, subject: Subject, value: EntryValue) {
        self.0.push(Entry { what: what.into(), subject, value });
    }
}

impl Entry {
    fn difference(&self, snapshot: &Self) -> String {
        let Self { what, subject, value } = snapshot;
        match (*value, self.value) {
            (EntryValue::Count(there), EntryValue::Count(here)) => {
                format!("{subject} has {there} {what} there and {here} here")
            }
            (EntryValue::Switch(true), _) => format!("it was taken with {what}, which is off here"),
            (EntryValue::Switch(false), _) => format!("it was taken without {what}, which is on here"),
            _ if *subject == Subject::All => format!("they differ in the {what}"),
            _ => format!("they differ in the {what} of {subject}"),
        }
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("the simulation"),
            Self::Cloth(index) => write!(f, "cloth {index}"),
            Self::Body(index) => write!(f, "mesh body {index}"),
            Self::Collider(index) => write!(f, "collider {index}"),
        }
    }
}

fn rest_shape(rest: &RestShape) -> EntryValue {
    match rest {
        RestShape::Start => hash([0].into_iter()),
        RestShape::Positions(pose) => {
            hash([1].into_iter().chain(pose.iter().flat_map(|p| [p.x, p.y, p.z]).map(f64::to_bits)))
        }
        RestShape::Pattern(pattern) => {
            hash([2].into_iter().chain(pattern.iter().flatten().flatten().map(|x| x.to_bits())))
        }
    }
}

fn hash(words: impl Iterator<Item = u64>) -> EntryValue {
    EntryValue::Hash(fnv1a(words.flat_map(u64::to_le_bytes)))
}

fn debug_hash(value: &(impl Debug + ?Sized)) -> EntryValue {
    EntryValue::Hash(digest(&value))
}

/// FNV-1a over the `Debug` output, which has every field and prints numbers so that they can be read back.
pub(crate) fn digest(value: &dyn Debug) -> u64 {
    let mut hash = Fnv1a::default();
    // Writing to it cannot fail.
    let _ = write!(hash, "{value:?}");
    hash.0
}
