//! Fit: what a simulation has to be built of for a checkpoint to mean the same in it.
//!
//! A checkpoint names vertices, faces and constraints by number, and a run goes on with the same bits only between the same
//! masses, rest shapes and contact rules. So all that a simulation was built of is listed by name, with a hash each, and
//! two lists are compared entry by entry: the first difference can be told in words.

use std::fmt::{Debug, Display, Formatter, Write};

use cloth_geom::{TriMesh, fnv1a};

use crate::{ClothDesc, Collider, MeshBodyDesc, RestShape, Settings};

/// The entry of the gate.
const GATE: &str = "the gate (`Settings::gate`)";

/// What a simulation was built of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fit(Vec<Entry>);

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    what: &'static str,
    of: Of,
    value: Value,
}

/// The part of a simulation that an entry is of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    All,
    Cloth(usize),
    Body(usize),
    Collider(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Count(usize),
    Switch(bool),
    Hash(u64),
}

impl Fit {
    /// The first thing in which a snapshot's simulation, `other`, differs from this one; none if it fits.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        // What comes in numbers is counted first, so entries stand at equal places up to the first difference.
        let mut pairs = self.0.iter().zip(&other.0);
        let different = pairs.find(|(ours, theirs)| ours != theirs);
        match different {
            Some((ours, theirs)) => Some(ours.difference(theirs)),
            None if self.0.len() != other.0.len() => Some("what it was built of differs".into()),
            None => None,
        }
    }

    pub(crate) fn count(&mut self, what: &'static str, count: usize) {
        self.add(what, Of::All, Value::Count(count));
    }

    /// Adds a hash of what `Debug` writes of a value: all its fields, and numbers so that they can be read back.
    pub(crate) fn printed(&mut self, what: &'static str, value: &impl Debug) {
        self.add(what, Of::All, printed(value));
    }

    pub(crate) fn cloth(&mut self, index: usize, cloth: &ClothDesc) {
        let ClothDesc {
            mesh,
            rest,
            material,
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
            carrier,
            damping,
        } = cloth;
        let of = Of::Cloth(index);
        self.mesh(of, mesh);
        self.add("rest shape", of, rest_shape(rest));
        let attached: Vec<_> = attachments.iter().map(|a| (a.vertex, a.compliance)).collect();
        let felt = carrier.map(|carrier| carrier.felt);
        let entries: [(_, &dyn Debug); 12] = [
            ("material", material),
            ("thickness", thickness),
            ("masses and pins at the start", &(masses, pins)),
            ("layer", layer),
            ("stitches", stitches),
            ("exclusions", exclusions),
            ("regions", regions),
            ("choice of particles", particles),
            ("tethers", tethers),
            ("drive", drive),
            ("carrier", &felt),
            ("damping", damping),
        ];
        self.add("attachments", of, Value::Count(attached.len()));
        self.add("attachments", of, printed(&attached));
        entries.iter().for_each(|&(what, value)| self.add(what, of, printed(value)));
    }

    pub(crate) fn body(&mut self, index: usize, MeshBodyDesc { mesh, thickness }: &MeshBodyDesc) {
        self.mesh(Of::Body(index), mesh);
        self.add("thickness", Of::Body(index), printed(thickness));
    }

    /// Replaces the colliders, which come last.
    pub(crate) fn colliders(&mut self, colliders: &[Collider]) {
        self.0.retain(|entry| !matches!(entry.of, Of::Collider(_)));
        if let Some(count) = self.0.iter_mut().find(|entry| entry.what == "colliders" && entry.of == Of::All)
        {
            count.value = Value::Count(colliders.len());
        }
        for (index, collider) in colliders.iter().enumerate() {
            self.add("shape", Of::Collider(index), Value::Hash(collider.shape.fingerprint()));
            self.add("friction", Of::Collider(index), printed(&collider.friction));
        }
    }

    /// Says anew whether there is a gate.
    pub(crate) fn set_gate(&mut self, gate: bool) {
        self.0
            .iter_mut()
            .filter(|entry| entry.what == GATE)
            .for_each(|entry| entry.value = Value::Switch(gate));
    }

    /// Adds the settings that say what is kept, or what it means.
    pub(crate) fn settings(&mut self, settings: &Settings) {
        let Settings {
            gate,
            self_collision,
            contacts,
            layer_order,
            layer_depth,
            particles,
            // How a run goes on from what is kept.
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
            contact_recovery: _,
            recovery_speed: _,
            threads: _,
            candidate_slack: _,
            most_radii: _,
        } = settings;
        self.add("self-collision (`Settings::self_collision`)", Of::All, Value::Switch(*self_collision));
        self.add(GATE, Of::All, Value::Switch(*gate));
        self.add("the order of layers (`Settings::layer_order`)", Of::All, Value::Switch(*layer_order));
        self.printed("setting `contacts`", contacts);
        self.printed("setting `layer_depth`", layer_depth);
        self.printed("setting `particles.rest`", &particles.rest);
    }

    fn mesh(&mut self, of: Of, mesh: &TriMesh) {
        self.add("vertices", of, Value::Count(mesh.positions.len()));
        self.add("faces", of, Value::Count(mesh.faces.len()));
        self.add("faces", of, hash(mesh.faces.iter().flatten().map(|&v| u64::from(v))));
        let start = mesh.positions.iter().flat_map(|p| [p.x, p.y, p.z]);
        self.add("start positions", of, hash(start.map(f64::to_bits)));
    }

    fn add(&mut self, what: &'static str, of: Of, value: Value) {
        self.0.push(Entry { what, of, value });
    }
}

impl Entry {
    fn difference(&self, snapshot: &Self) -> String {
        let Self { what, of, .. } = *snapshot;
        match (snapshot.value, self.value) {
            (Value::Count(there), Value::Count(here)) => {
                format!("{of} has {there} {what} there and {here} here")
            }
            (Value::Switch(true), _) => format!("it was taken with {what}, which is off here"),
            (Value::Switch(false), _) => format!("it was taken without {what}, which is on here"),
            _ if of == Of::All => format!("they differ in the {what}"),
            _ => format!("they differ in the {what} of {of}"),
        }
    }
}

impl Display for Of {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("the simulation"),
            Self::Cloth(index) => write!(f, "cloth {index}"),
            Self::Body(index) => write!(f, "mesh body {index}"),
            Self::Collider(index) => write!(f, "collider {index}"),
        }
    }
}

fn rest_shape(rest: &RestShape) -> Value {
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

fn hash(words: impl Iterator<Item = u64>) -> Value {
    Value::Hash(fnv1a(words.flat_map(u64::to_le_bytes)))
}

fn printed(value: &(impl Debug + ?Sized)) -> Value {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "{value:?}");
    Value::Hash(fnv1a(text.into_bytes()))
}
