//! What scripts are made of: edits between steps, steps that fail, and methods of leaving a state and
//! returning to it.

use nalgebra::{Isometry3, Point3, Vector3};
use proptest::prelude::*;

use super::scenes::{APART, DT, SHARE, SHORT, SIDE};
use crate::{ClothId, ColliderId, MeshBodyId, Simulation};

/// Something that a caller does between two steps; what a scene does not have is refused, in every simulation
/// alike.
#[derive(Clone, Debug)]
pub(super) enum ScriptEdit {
    Pin(usize, u32),
    Mass(usize, u32, f32),
    MovePin(usize, u32, [f32; 3]),
    /// All pins of a cloth.
    Press(usize, [f32; 3]),
    Velocity(usize, u32, [f32; 3]),
    /// All vertices of a cloth.
    Throw(usize, [f32; 3]),
    Teleport(usize, [f32; 3], [f32; 3]),
    Attachment([f32; 3]),
    /// The first attachment is switched on or off.
    Switch(bool),
    Collider(usize, [f32; 3]),
    LocalFrame([f32; 3]),
    Drive([f32; 3]),
    Body([f32; 3]),
}

impl ScriptEdit {
    pub(super) fn make(&self, sim: &mut Simulation) {
        let moved = |p: &Point3<f32>, by: &[f32; 3]| p + Vector3::from(*by);
        let refused = match self {
            Self::Pin(cloth, v) => sim.pin(ClothId(*cloth), *v),
            Self::Mass(cloth, v, mass) => sim.set_mass(ClothId(*cloth), *v, *mass),
            Self::MovePin(cloth, v, by) => match vertex(sim, *cloth, *v) {
                Some(p) => sim.move_pin(ClothId(*cloth), *v, moved(&p, by)),
                None => Ok(()),
            },
            Self::Press(cloth, by) => {
                let pinned = (0..(SIDE * SIDE) as u32).filter_map(|v| Some((v, vertex(sim, *cloth, v)?)));
                for (v, p) in pinned.collect::<Vec<_>>() {
                    let _ = sim.move_pin(ClothId(*cloth), v, moved(&p, by));
                }
                Ok(())
            }
            Self::Velocity(cloth, v, to) => sim.set_velocity(ClothId(*cloth), *v, Vector3::from(*to)),
            Self::Throw(cloth, to) => (0..(SIDE * SIDE) as u32)
                .try_for_each(|v| sim.set_velocity(ClothId(*cloth), v, Vector3::from(*to))),
            Self::Teleport(cloth, by, turn) => {
                sim.teleport(ClothId(*cloth), &Isometry3::new(Vector3::from(*by), Vector3::from(*turn)))
            }
            // The last one holds the vertex apart.
            Self::Attachment(_) | Self::Switch(_) if sim.constraints.attachments.len() < 2 => Ok(()),
            Self::Switch(holds) => sim.set_attachment(0, *holds),
            Self::Attachment(by) => {
                let p = sim.positions()[0];
                sim.move_attachment(0, moved(&p, by))
            }
            Self::Collider(which, by) => {
                sim.move_collider(ColliderId(*which), Isometry3::translation(by[0], by[1] - 0.15, by[2]))
            }
            Self::LocalFrame(by) => {
                sim.move_local_frame(ClothId(0), Isometry3::new(Vector3::from(*by), Vector3::from(*by)))
            }
            Self::Drive(by) => {
                let targets: Vec<_> = sim.positions()[..SIDE * SIDE].iter().map(|p| moved(p, by)).collect();
                sim.move_drive(ClothId(0), &targets)
            }
            Self::Body(by) => {
                let from = sim.cloth_vertices(ClothId(sim.cloth_count() - 1)).map_or(0, |range| range.end);
                let at: Vec<_> = sim.positions()[from..].iter().map(|p| moved(p, by)).collect();
                sim.move_mesh_body(MeshBodyId(0), &at)
            }
        };
        // Refused by every simulation of the scene, or by none.
        let _ = refused;
    }

    /// Whether a reset takes it back; masses, colliders and what drives a cloth stay.
    pub(super) fn is_undone_by_a_reset(&self) -> bool {
        matches!(
            self,
            Self::MovePin(..) | Self::Press(..) | Self::Velocity(..) | Self::Throw(..) | Self::Body(_)
        )
    }
}

fn vertex(sim: &Simulation, cloth: usize, v: u32) -> Option<Point3<f32>> {
    let range = sim.cloth_vertices(ClothId(cloth))?;
    sim.positions().get(range.start + v as usize).copied()
}

/// A step that fails, and how.
#[derive(Clone, Debug)]
pub(super) enum FailingStep {
    /// Velocities overflow in the first substep.
    TooShort,
    /// Predicted displacements overflow.
    TooLong,
    /// Velocities overflow in a substep of choice.
    Late(u32),
    /// A pin goes so far in so short a step that `f32` cannot square its velocity.
    Pin(u32),
    /// The pose of the drive does.
    Drive,
    /// So does the body.
    Body,
}

impl FailingStep {
    /// The time step with which it fails.
    pub(super) fn dt(&self) -> f32 {
        match self {
            Self::TooShort => 1e-40,
            Self::TooLong => 1e38,
            Self::Late(_) | Self::Pin(_) | Self::Drive | Self::Body => SHORT,
        }
    }

    /// What the caller does before the step.
    pub(super) fn edit(&self, sim: &mut Simulation) {
        let far = Vector3::new(0.0, 9e6, 0.0);
        let refused = match self {
            Self::TooShort | Self::TooLong => Ok(()),
            Self::Late(substep) => {
                let n = sim.settings().substeps;
                let failing = substep % n + 1;
                // See the vertex apart: it goes ever faster towards a target that moves evenly.
                let way = f32::MAX.sqrt() * SHORT / (0.5 * (pace(failing - 1) + pace(failing)));
                sim.move_attachment(self.attachment(sim), APART + Vector3::y() * way)
            }
            Self::Pin(v) => {
                let _ = sim.pin(ClothId(0), *v);
                sim.move_pin(ClothId(0), *v, far.into())
            }
            Self::Drive => {
                let targets = vec![far.into(); SIDE * SIDE];
                sim.move_drive(ClothId(0), &targets)
            }
            Self::Body => {
                let count = sim.cloth_vertices(ClothId(sim.cloth_count() - 1)).map_or(0, |range| range.end);
                let at = vec![far.into(); sim.positions().len() - count];
                sim.move_mesh_body(MeshBodyId(0), &at)
            }
        };
        let _ = refused;
    }

    /// Edits back to something that can be stepped.
    pub(super) fn undo(&self, sim: &mut Simulation) {
        let refused = match self {
            Self::TooShort | Self::TooLong => Ok(()),
            Self::Late(_) => sim.move_attachment(self.attachment(sim), APART),
            Self::Pin(v) => sim.pin(ClothId(0), *v),
            Self::Drive => {
                let targets = sim.positions()[..SIDE * SIDE].to_vec();
                sim.move_drive(ClothId(0), &targets)
            }
            Self::Body => {
                let count = sim.cloth_vertices(ClothId(sim.cloth_count() - 1)).map_or(0, |range| range.end);
                let at = sim.positions()[count..].to_vec();
                sim.move_mesh_body(MeshBodyId(0), &at)
            }
        };
        let _ = refused;
    }

    /// The vertex apart is in the last cloth.
    fn attachment(&self, sim: &Simulation) -> usize {
        sim.constraints.attachments.len() - 1
    }
}

/// One part of a script.
#[derive(Clone, Debug)]
pub(super) enum ScriptEvent {
    Step(Vec<ScriptEdit>, f32),
    /// With waypoints that are so far away.
    StepThrough([f32; 3], f32),
    Fail(FailingStep),
    /// A snapshot, steps, and back; in a rebuilt simulation if asked for.
    Excursion(Vec<(Vec<ScriptEdit>, f32)>, bool),
    DropScratch,
    /// The scene is edited, and nothing is changed in it: the simulation is rebuilt.
    Rebuild,
    Reset,
}

fn by(size: f32) -> impl Strategy<Value = [f32; 3]> {
    [-size..size, -size..size, -size..size]
}

fn edit() -> impl Strategy<Value = ScriptEdit> {
    let cloth = || 0..2_usize;
    let v = || 0..(SIDE * SIDE) as u32;
    prop_oneof![
        1 => (cloth(), v()).prop_map(|(c, v)| ScriptEdit::Pin(c, v)),
        1 => (cloth(), v(), 1e-4..1e-2_f32).prop_map(|(c, v, m)| ScriptEdit::Mass(c, v, m)),
        2 => (cloth(), v(), by(0.03)).prop_map(|(c, v, by)| ScriptEdit::MovePin(c, v, by)),
        1 => (cloth(), v(), by(5.0)).prop_map(|(c, v, to)| ScriptEdit::Velocity(c, v, to)),
        3 => (cloth(), by(0.02)).prop_map(|(c, by)| ScriptEdit::Press(c, by)),
        2 => (cloth(), by(3.0)).prop_map(|(c, to)| ScriptEdit::Throw(c, to)),
        1 => (cloth(), by(0.1), by(1.0)).prop_map(|(c, by, turn)| ScriptEdit::Teleport(c, by, turn)),
        1 => by(0.1).prop_map(ScriptEdit::Attachment),
        1 => any::<bool>().prop_map(ScriptEdit::Switch),
        1 => (0..2_usize, by(0.05)).prop_map(|(which, by)| ScriptEdit::Collider(which, by)),
        1 => by(0.1).prop_map(ScriptEdit::LocalFrame),
        1 => by(0.05).prop_map(ScriptEdit::Drive),
        3 => by(0.06).prop_map(ScriptEdit::Body),
    ]
}

pub(super) fn edits() -> impl Strategy<Value = Vec<ScriptEdit>> {
    prop::collection::vec(edit(), 0..3)
}

fn dt() -> impl Strategy<Value = f32> {
    prop_oneof![3 => Just(DT), 1 => 0.001..0.04_f32]
}

fn failure() -> impl Strategy<Value = FailingStep> {
    prop_oneof![
        2 => Just(FailingStep::TooShort),
        1 => Just(FailingStep::TooLong),
        4 => (0..8_u32).prop_map(FailingStep::Late),
        1 => (0..(SIDE * SIDE) as u32).prop_map(FailingStep::Pin),
        1 => Just(FailingStep::Drive),
        1 => Just(FailingStep::Body),
    ]
}

pub(super) fn events() -> impl Strategy<Value = ScriptEvent> {
    let away = prop::collection::vec((edits(), dt()), 1..4);
    prop_oneof![
        6 => (edits(), dt()).prop_map(|(edits, dt)| ScriptEvent::Step(edits, dt)),
        1 => (by(0.1), dt()).prop_map(|(by, dt)| ScriptEvent::StepThrough(by, dt)),
        3 => failure().prop_map(ScriptEvent::Fail),
        3 => (away, any::<bool>()).prop_map(|(away, others)| ScriptEvent::Excursion(away, others)),
        1 => Just(ScriptEvent::DropScratch),
        1 => Just(ScriptEvent::Rebuild),
        1 => Just(ScriptEvent::Reset),
    ]
}

/// How far the vertex apart goes in a substep, counted from 1, of what its target goes in one: on by its own
/// velocity, and then a share of the distance that is left.
fn pace(substep: u32) -> f32 {
    let (mut at, mut way) = (0.0, 0.0);
    for target in 1..=substep {
        let predicted = at + way;
        way += SHARE * (target as f32 - predicted);
        at += way;
    }
    way
}
