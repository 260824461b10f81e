//! Pins and attachments that follow a mesh body or a joint: each keeps its place relative to the nearest face
//! of the body in its first frame, or to the frame of the joint.
//!
//! The place is barycentric coordinates on the face and an offset in a frame there, see [`DisplayMesh`], so
//! that a pin follows a body that moves, turns and deforms.

use std::collections::{BTreeMap, BTreeSet};

use cloth_io::FileError;
use cloth_solver::{DisplayError, DisplayMesh, Simulation, StepError};
use nalgebra::Point3;

use super::MotionError;
use super::bodies::{Bodies, MotionTarget};
use super::constraints::pinned;
use super::garment::PlacedGarment;
use crate::words::counted;
use crate::{FOLLOW_ANY_BODY, FOLLOW_JOINT, Scene, SceneSource};

/// All pins and attachments that follow a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followers {
    groups: Vec<Group>,
}

/// The pins that follow one body, the nearest of all, or a joint.
#[derive(Clone, Debug)]
struct Group {
    /// What moves, in the order of the binding.
    held: Vec<Held>,
    binding: Binding,
}

/// Places that follow a guide.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    guide: Guide,
    display: DisplayMesh,
    /// Positions (m) of the bodies and of the places, scratch.
    surface: Vec<Point3<f32>>,
    targets: Vec<Point3<f32>>,
}

/// What pins follow.
#[derive(Clone, Debug)]
pub(crate) enum Guide {
    /// The nearest face of the mesh bodies of these numbers.
    Bodies(Vec<usize>),
    /// A joint of the character, and with it its bone and its proxies.
    Joint(usize),
}

/// What holds a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Held {
    /// The vertex of the cloth of this number.
    Pin(usize, u32),
    /// The target of the attachment of this number, counted over all cloths.
    Attachment(usize),
}

/// The vertices of garments that are held, given the number of the garment.
#[derive(Clone, Copy)]
pub(crate) struct HeldVertices<'a> {
    /// Those of all attachments in order.
    pub(crate) attached: &'a [(usize, u32)],
    /// Those that are pinned for ever.
    pub(crate) pinned: &'a BTreeSet<(usize, u32)>,
}

impl HeldVertices<'_> {
    fn find(&self, vertex: (usize, u32)) -> Held {
        match self.attached.iter().position(|&other| other == vertex) {
            Some(number) if !self.pinned.contains(&vertex) => Held::Attachment(number),
            _ => Held::Pin(vertex.0, vertex.1),
        }
    }
}

impl Followers {
    /// Binds the pins that follow a body to it, as both are at the start.
    ///
    /// # Errors
    /// If there is no such body, or no mesh body at all.
    pub(crate) fn bind(
        (scene, garments): (&Scene, &[PlacedGarment]),
        vertices: HeldVertices<'_>,
        bodies: &Bodies,
        source: &SceneSource,
    ) -> Result<Self, FileError> {
        let mut by_name: BTreeMap<&str, Vec<(usize, u32)>> = BTreeMap::new();
        let mut bound = BTreeSet::new();
        for (id, (wanted, garment)) in scene.garments.iter().zip(garments).enumerate() {
            for (entry, pin) in wanted.pins.iter().enumerate().filter(|(_, pin)| !pin.is_timed()) {
                let Some(name) = pin.follow.as_deref() else { continue };
                let found = pinned(&pin.place, entry, garment, source)?;
                // A vertex that several pins hold follows the first.
                let found = found.into_iter().filter(|&v| bound.insert((id, v)));
                by_name.entry(name).or_default().extend(found.map(|v| (id, v)));
            }
        }
        let group = |(name, pins)| {
            Group::bind(name, pins, (garments, vertices), bodies)
                .map_err(|text| source.fail("garment.pins", text))
        };
        Ok(Self { groups: by_name.into_iter().map(group).collect::<Result<_, _>>()? })
    }

    /// How many pins follow a body, a sentence; none if none does.
    pub(crate) fn note(&self) -> Option<String> {
        let count: usize = self.groups.iter().map(|group| group.held.len()).sum();
        let verb = if count == 1 { "follows" } else { "follow" };
        (count > 0).then(|| format!("{} {verb} the body", counted(count, "pin")))
    }

    /// Moves the pins to where the bodies are now.
    pub(crate) fn move_to(&mut self, bodies: &Bodies, to: &mut MotionTarget<'_>) -> Result<(), MotionError> {
        for Group { held, binding } in &mut self.groups {
            for (held, &target) in held.iter().zip(binding.targets(bodies)?) {
                held.move_to(to, target)?;
            }
        }
        Ok(())
    }
}

impl Held {
    /// Whether it can be moved: a pin that the caller has not unpinned.
    pub(crate) fn exists(self, simulation: &Simulation) -> bool {
        let Self::Pin(cloth, vertex) = self else { return true };
        let target = simulation.cloth_id(cloth).and_then(|cloth| simulation.pin_target(cloth, vertex));
        target.is_ok_and(|target| target.is_some())
    }

    /// Moves it there.
    pub(crate) fn move_to(self, to: &mut MotionTarget<'_>, target: Point3<f32>) -> Result<(), StepError> {
        match (self, to) {
            (Self::Pin(cloth, vertex), MotionTarget::Step(sim)) => {
                sim.move_pin(sim.cloth_id(cloth)?, vertex, target)
            }
            (Self::Pin(cloth, vertex), MotionTarget::Waypoint(sim, waypoints, k)) => {
                waypoints.set_pin(sim.cloth_id(cloth)?, vertex, *k, target)
            }
            (Self::Attachment(number), MotionTarget::Step(sim)) => sim.move_attachment(number, target),
            (Self::Attachment(number), MotionTarget::Waypoint(_, waypoints, k)) => {
                waypoints.set_attachment(number, *k, target)
            }
        }
    }
}

impl Group {
    fn bind(
        name: &str,
        pins: Vec<(usize, u32)>,
        (garments, vertices): (&[PlacedGarment], HeldVertices<'_>),
        bodies: &Bodies,
    ) -> Result<Self, String> {
        let start = |&(cloth, v): &(usize, u32)| garments[cloth].mesh.positions[v as usize].map(|c| c as f32);
        let places: Vec<Point3<f32>> = pins.iter().map(start).collect();
        let binding = Binding::new(Guide::find(name, bodies)?, &places, bodies).map_err(|e| e.to_string())?;
        Ok(Self { held: pins.into_iter().map(|pin| vertices.find(pin)).collect(), binding })
    }
}

impl Binding {
    /// Binds places (m) to a guide, as it is now.
    pub(crate) fn new(guide: Guide, places: &[Point3<f32>], bodies: &Bodies) -> Result<Self, DisplayError> {
        let (mut surface, mut faces) = (Vec::new(), Vec::new());
        guide.write_surface(bodies, &mut surface);
        match &guide {
            Guide::Joint(_) => faces.push([0, 1, 2]),
            Guide::Bodies(chosen) => {
                let mut first = 0;
                for (_, positions, triangles) in chosen.iter().filter_map(|&i| bodies.meshes().nth(i)) {
                    faces.extend(triangles.iter().map(|face| face.map(|v| v + first)));
                    first += positions.len() as u32;
                }
            }
        }
        let display = DisplayMesh::bind(&surface, &faces, places)?;
        Ok(Self { guide, display, surface, targets: places.to_vec() })
    }

    /// Where the places are (m), with the bodies where they are now.
    pub(crate) fn targets(&mut self, bodies: &Bodies) -> Result<&[Point3<f32>], DisplayError> {
        self.guide.write_surface(bodies, &mut self.surface);
        self.display.write_positions(&self.surface, &mut self.targets)?;
        Ok(&self.targets)
    }
}

impl Guide {
    /// Writes the vertices of the bodies or the frame of the joint (m).
    fn write_surface(&self, bodies: &Bodies, surface: &mut Vec<Point3<f32>>) {
        surface.clear();
        match self {
            Self::Bodies(chosen) => {
                for (_, positions, _) in chosen.iter().filter_map(|&i| bodies.meshes().nth(i)) {
                    surface.extend_from_slice(positions);
                }
            }
            Self::Joint(joint) => {
                let frames = bodies.character().map(|character| character.joint_frame(*joint));
                surface.extend(frames.into_iter().flatten());
            }
        }
    }

    /// What a name means: a joint of the character after `joint:`, else mesh bodies.
    pub(crate) fn find(name: &str, bodies: &Bodies) -> Result<Self, String> {
        let Some(label) = name.strip_prefix(FOLLOW_JOINT) else {
            return chosen(name, bodies).map(Self::Bodies);
        };
        let character = bodies.character().ok_or_else(|| {
            format!("a pin follows the joint {label:?}, but the scene has no character; add [character]")
        })?;
        character.find_joint(label).map(Self::Joint)
    }
}

/// The mesh bodies that a name means, by number.
fn chosen(name: &str, bodies: &Bodies) -> Result<Vec<usize>, String> {
    let count = bodies.meshes().count();
    if count == 0 && !bodies.named(name).is_empty() {
        return Err(no_mesh(name));
    }
    if count == 0 {
        return Err(
            "pins follow a body, but no body is a mesh; give a body as a mesh, or let them stay".to_owned()
        );
    }
    let named: Vec<usize> =
        bodies.meshes().enumerate().filter(|(_, body)| body.0 == Some(name)).map(|(i, _)| i).collect();
    match named {
        named if !named.is_empty() => Ok(named),
        _ if name == FOLLOW_ANY_BODY => Ok((0..count).collect()),
        _ if !bodies.named(name).is_empty() => Err(no_mesh(name)),
        _ => Err(format!(
            "no mesh body has the name {name:?} that a pin follows; name one, or follow {FOLLOW_ANY_BODY:?}, \
             the nearest"
        )),
    }
}

fn no_mesh(name: &str) -> String {
    format!(
        "a pin cannot follow the body {name:?}, because it is no mesh; give it as a mesh, or let the pin stay"
    )
}
