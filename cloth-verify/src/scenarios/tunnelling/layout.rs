//! Where the cells stand, and what moves in them.
//!
//! ```text
//!      . wall .    Cells stand in rows on a level grid, and all that moves in them moves up or down, so that
//!    /  : : :  \   nothing that is flung ever meets another cell. Half-spaces would swallow the rest: they
//!   | : : : : : |  are the walls of a round room about it, 300 m away and facing inwards. What is behind a
//!    \  : : :  /   surface with one side is solid without end, and sweeps far as it turns: those stand in a
//!      ' --- '     line along the axis of their turn, apart from all others.
//! ```

use cloth_show::invariants::ColliderCell;
use cloth_solver::Collider;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::cells::{self, Case};
use super::kinds::{CellCollider, kinds};
use super::parts::turn;
use super::{DTS, FRAMES, SPACING, TURN};
use crate::scenario::{Driver, Setup, SetupError, SimulationControl};

/// Coefficient of friction of the colliders.
const FRICTION: f32 = 0.4;
/// Radius of the room (m).
const ROOM: f32 = 300.0;
/// Where the surfaces with one side stand (m).
const ASIDE: f32 = 60.0;
/// The axis about which colliders turn, level.
const AXIS: Vector3<f32> = Vector3::new(0.6, 0.0, 0.8);
/// Colliders and pins move this far (m), and three frames at least.
const WAY: f32 = 0.6;
/// A turn has this radius (m) where its speed is that of the case.
const LEVER: f32 = 0.06;

/// What moves in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mover {
    Cloth,
    Collider,
    Turning,
}

impl Mover {
    const ALL: [Self; 3] = [Self::Cloth, Self::Collider, Self::Turning];

    fn name(self) -> &'static str {
        match self {
            Self::Cloth => "cloth moves",
            Self::Collider => "collider moves",
            Self::Turning => "collider moves and turns",
        }
    }
}

/// How a cell moves.
#[derive(Clone, Copy, Debug)]
struct CellMotion {
    mover: Mover,
    /// m/s.
    speed: f32,
    /// Which of the two durations of a frame.
    pace: usize,
}

impl CellMotion {
    fn all(speeds: &[f32]) -> Vec<Self> {
        let mut all = Vec::new();
        for &speed in speeds {
            for pace in 0..DTS.len() {
                all.extend(Mover::ALL.map(|mover| Self { mover, speed, pace }));
            }
        }
        all
    }

    /// Metres a frame.
    fn step(&self) -> f32 {
        self.speed * DTS[self.pace]
    }

    /// Frames of the motion that are through when a frame ends, counted from 0; none before it begins.
    fn elapsed_frames(&self, frame: usize) -> Option<usize> {
        let most = ((WAY / self.step()).ceil() as usize).clamp(3, FRAMES);
        (frame + 1).checked_sub(self.pace * FRAMES).filter(|&k| k > 0).map(|k| k.min(most))
    }
}

/// A cloth that is thrown or pulled.
struct MovedCloth {
    /// Its number in the scene.
    cloth: usize,
    motion: CellMotion,
    down: Vector3<f32>,
    free: Vec<u32>,
    pins: Vec<(u32, Point3<f32>)>,
}

/// A collider that moves.
struct MovedCollider {
    /// Its number in the scene.
    collider: usize,
    motion: CellMotion,
    /// The frame of its cell.
    place: Isometry3<f32>,
    /// How it stands there.
    stands: UnitQuaternion<f32>,
    /// The axis of its turn, in the frame of the cell.
    axis: Vector3<f32>,
}

/// Puts all cells into a scene; returns what drives them.
pub(super) fn place(setup: &mut Setup, speeds: &[f32]) -> Result<Driver, SetupError> {
    let kinds = kinds()?;
    let (motions, mut builder) =
        (CellMotion::all(speeds), LayoutBuilder { setup, actors: vec![], carriers: vec![] });
    let (planes, others): (Vec<&CellCollider>, Vec<&CellCollider>) =
        kinds.iter().partition(|k| k.name == "plane");
    planes.iter().try_for_each(|plane| builder.walls(plane, &motions))?;
    let (aside, level): (Vec<&CellCollider>, Vec<&CellCollider>) =
        others.iter().partition(|k| k.shape.bounds().is_none());
    let rows = motions.len() * Case::ALL.len();
    for (row, (motion, case)) in motions.iter().flat_map(|m| Case::ALL.map(|c| (m, c))).enumerate() {
        let from_middle = |k: usize, of: usize| (k as f32 - 0.5 * (of - 1) as f32) * SPACING;
        for (column, kind) in level.iter().enumerate() {
            let at = Translation3::new(from_middle(column, level.len()), 0.0, from_middle(row, rows));
            builder.cell(kind, case, *motion, Isometry3::from(at))?;
        }
        for (line, kind) in aside.iter().enumerate() {
            let side = AXIS.cross(&Vector3::y()) * (ASIDE * (line + 1) as f32);
            builder.cell(kind, case, *motion, Isometry3::from(AXIS * from_middle(row, rows) + side))?;
        }
    }
    let LayoutBuilder { actors, carriers, .. } = builder;
    Ok(Box::new(move |stage, frame, _| {
        actors.iter().try_for_each(|actor| actor.act(stage, frame))?;
        carriers.iter().try_for_each(|carrier| carrier.carry(stage, frame))
    }))
}

struct LayoutBuilder<'a> {
    setup: &'a mut Setup,
    actors: Vec<MovedCloth>,
    carriers: Vec<MovedCollider>,
}

impl LayoutBuilder<'_> {
    /// One wall for all cloths that move, and one for each motion of a wall, with the three cases on it.
    fn walls(&mut self, plane: &CellCollider, motions: &[CellMotion]) -> Result<(), SetupError> {
        let (of_cloth, of_walls): (Vec<CellMotion>, Vec<CellMotion>) =
            motions.iter().partition(|m| m.mover == Mover::Cloth);
        let groups: Vec<Vec<CellMotion>> =
            std::iter::once(of_cloth).chain(of_walls.into_iter().map(|m| vec![m])).collect();
        for (wall, group) in groups.iter().enumerate() {
            let pose = wall_pose(wall, groups.len());
            let collider = self.collider(plane, group[0], pose, Vector3::y())?;
            let cells = group.iter().flat_map(|m| Case::ALL.map(|c| (*m, c)));
            for (k, (motion, case)) in cells.enumerate() {
                let height = (k as f32 - 0.5 * (3 * group.len() - 1) as f32) * SPACING;
                let at = Translation3::new(0.0, height, 0.0) * pose;
                self.add_cloth(plane, case, motion, at, collider)?;
            }
        }
        Ok(())
    }

    fn cell(
        &mut self,
        kind: &CellCollider,
        case: Case,
        motion: CellMotion,
        place: Isometry3<f32>,
    ) -> Result<(), SetupError> {
        let collider = self.collider(kind, motion, place, AXIS)?;
        self.add_cloth(kind, case, motion, place, collider)
    }

    fn collider(
        &mut self,
        kind: &CellCollider,
        motion: CellMotion,
        place: Isometry3<f32>,
        axis: Vector3<f32>,
    ) -> Result<usize, SetupError> {
        let collider = self.setup.scene.colliders.len();
        let added = Collider::new(kind.shape.clone(), place * kind.turn, FRICTION)?;
        self.setup.scene.add_colliders([added]);
        if motion.mover != Mover::Cloth {
            self.carriers.push(MovedCollider { collider, motion, place, stands: kind.turn, axis });
        }
        Ok(collider)
    }

    fn add_cloth(
        &mut self,
        kind: &CellCollider,
        case: Case,
        motion: CellMotion,
        place: Isometry3<f32>,
        collider: usize,
    ) -> Result<(), SetupError> {
        let mut cloth = cells::cloth(kind, case, f64::from(motion.step()))?;
        let wide = place.cast::<f64>();
        cloth.mesh.positions.iter_mut().for_each(|p| *p = wide * *p);
        let first = self.setup.cells.last().map_or(0, |cell| cell.vertices.end);
        let count = cloth.mesh.positions.len();
        let (pins, free): (Vec<u32>, Vec<u32>) = (0..count as u32).partition(|v| cloth.pins.contains(v));
        self.setup.cells.push(ColliderCell {
            case: case.letter(),
            name: format!(
                "{}, {} m/s, frames of {:.0} ms, {}",
                kind.name,
                motion.speed,
                DTS[motion.pace] * 1000.0,
                motion.mover.name()
            ),
            vertices: first..first + count,
            pinned: pins.iter().map(|&v| v as usize).collect(),
            collider,
        });
        if motion.mover == Mover::Cloth {
            let starts = cloth.mesh.positions_f32();
            self.actors.push(MovedCloth {
                cloth: self.setup.scene.cloths.len(),
                motion,
                down: place.rotation * -Vector3::y(),
                free: if case == Case::B { Vec::new() } else { free },
                pins: pins.iter().map(|&v| (v, starts[v as usize])).collect(),
            });
        }
        self.setup.scene.cloths.push(cloth);
        Ok(())
    }
}

impl MovedCloth {
    fn act(&self, stage: &mut dyn SimulationControl, frame: usize) -> Result<(), cloth_solver::StepError> {
        let Some(gone) = self.motion.elapsed_frames(frame) else { return Ok(()) };
        if frame == self.motion.pace * FRAMES {
            let velocity = self.down * self.motion.speed;
            self.free.iter().try_for_each(|&v| stage.set_velocity(self.cloth, v, velocity))?;
        }
        let way = self.down * (self.motion.step() * gone as f32);
        self.pins.iter().try_for_each(|&(v, start)| stage.move_pin(self.cloth, v, start + way))
    }
}

impl MovedCollider {
    fn carry(&self, stage: &mut dyn SimulationControl, frame: usize) -> Result<(), cloth_solver::StepError> {
        let Some(gone) = self.motion.elapsed_frames(frame) else { return Ok(()) };
        let up = Translation3::new(0.0, self.motion.step() * gone as f32, 0.0);
        // It rocks: forth, back, to the other side, back.
        let swing = [0.0, 1.0, 0.0, -1.0][gone % 4];
        let angle = match self.motion.mover {
            Mover::Turning => swing * (self.motion.step() / LEVER).min(TURN),
            Mover::Cloth | Mover::Collider => 0.0,
        };
        stage.move_collider(self.collider, self.place * up * turn(&self.axis, angle) * self.stands)
    }
}

/// The pose of one wall of a round room, its solid outside.
fn wall_pose(wall: usize, of: usize) -> Isometry3<f32> {
    let angle = std::f32::consts::TAU * wall as f32 / of as f32;
    let outward = Vector3::new(libm::cosf(angle), 0.0, libm::sinf(angle));
    // A quarter turn takes y to the level direction inward.
    let axis = Vector3::y().cross(&-outward);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turn = UnitQuaternion::new_normalize(Quaternion::from_parts(half, axis * half));
    Isometry3::from_parts(Translation3::from(outward * ROOM), turn)
}
