//! Timed pins: which of them hold in a frame, where they are to be, and what ends them.
//!
//! Which hold is part of the state of a simulation, not of the scene: several simulations may share a scene,
//! and a snapshot goes on in another one. [`Simulation::user_data`] has a block of numbers for each pin, or
//! none at all before the first frame and after a reset:
//!
//! | number | meaning |
//! |---|---|
//! | 0 | [`WAITS`], [`HOLDS`] or [`IS_OVER`] |
//! | 1 | the start (s) of the frame in which it took its vertices |
//! | 2.. | where they were then (m), x, y and z of each |

use std::collections::BTreeSet;

use cloth_io::FileError;
use cloth_solver::{Simulation, StepError};
use nalgebra::{Point3, Vector3};

use super::MotionError;
use super::bodies::{Bodies, MotionTarget};
use super::constraints::TimedVertices;
use super::followers::{Binding, Guide, Held};
use super::garment::PlacedGarment;
use crate::source::GarmentEntry;
use crate::{Keyframe, PinRelease, Scene, SceneSource, pose_at};

/// The states of a pin: its time has not come, it holds, it has ended or was released.
const WAITS: f64 = 0.0;
const HOLDS: f64 = 1.0;
const IS_OVER: f64 = 2.0;

/// Times of frames are sums of rounded numbers: what begins or ends so near (frames) to the edge of a frame
/// begins or ends there.
const SLACK: f64 = 0.01;

/// What has happened to a timed pin between two frames.
#[derive(Clone, Debug, PartialEq)]
pub struct PinEvent {
    /// When (s): at the end of a frame and the start of the next.
    pub time: f64,
    /// The number of its garment.
    pub garment: usize,
    /// Its number among the pins of the garment.
    pub pin: usize,
    /// Its vertices, in the numbers of the garment's file.
    pub vertices: Vec<u32>,
    /// What has happened.
    pub kind: PinEventKind,
}

/// What happens to a timed pin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PinEventKind {
    /// It has taken its vertices where they were; one that holds from the start has no such event.
    Taken,
    /// Its time has ended.
    Ended,
    /// It was released, with what was measured in the frame before.
    Released(PinRelease),
}

/// The pins of a scene that have a time, a motion or an end of their own.
#[derive(Default)]
pub(crate) struct TimedPins {
    pins: Vec<TimedPin>,
    /// The vertices of the garments that other pins hold for ever.
    permanent: BTreeSet<(usize, u32)>,
    /// What happened at the start of the last frame.
    pub(crate) events: Vec<PinEvent>,
}

struct TimedPin {
    garment: usize,
    entry: usize,
    vertices: Vec<u32>,
    names: Vec<u32>,
    /// The attachment of the first vertex over all garments; `None` if they are held exactly.
    attachment: Option<usize>,
    /// When it begins and ends (s).
    span: [f64; 2],
    motion: Vec<Keyframe>,
    release: Option<PinRelease>,
    guide: Option<Guide>,
    /// Its binding to the guide, and the block of numbers that it follows from.
    binding: Option<(Vec<f64>, Binding)>,
}

impl TimedPins {
    /// The timed pins of all garments, each with the number of its garment; their attachments are counted
    /// over all garments. `permanent` are vertices of garments that other pins hold.
    ///
    /// # Errors
    /// If a pin follows a body or a joint that is not there.
    pub(crate) fn new(
        (scene, garments): (&Scene, &[PlacedGarment]),
        timed: Vec<(usize, TimedVertices)>,
        permanent: BTreeSet<(usize, u32)>,
        bodies: &Bodies,
        source: &SceneSource,
    ) -> Result<Self, FileError> {
        let pin = |(garment, TimedVertices { entry, vertices, attachment }): (usize, _)| {
            let wanted = &scene.garments[garment].pins[entry];
            let of_file = garments[garment].file_vertices();
            let guide = wanted.follow.as_deref().map(|name| Guide::find(name, bodies)).transpose();
            Ok(TimedPin {
                garment,
                entry,
                names: vertices.iter().map(|&v| of_file[v as usize]).collect(),
                vertices,
                attachment,
                span: [wanted.from.unwrap_or(0.0), wanted.until.unwrap_or(f64::INFINITY)],
                motion: wanted.motion.clone(),
                release: wanted.release,
                guide: guide
                    .map_err(|text| source.fail_in(GarmentEntry { garment, list: "pins", entry }, text))?,
                binding: None,
            })
        };
        let pins = timed.into_iter().map(pin).collect::<Result<_, FileError>>()?;
        Ok(Self { pins, permanent, events: Vec::new() })
    }

    /// Takes, ends and releases pins at the start of a frame, from one time to another (s).
    pub(crate) fn update(&mut self, sim: &mut Simulation, frame: [f64; 2]) -> Result<(), MotionError> {
        self.events.clear();
        let count = self.pins.iter().map(TimedPin::numbers).sum();
        if count == 0 {
            return Ok(());
        }
        let mut numbers = std::mem::take(sim.user_data_mut());
        let is_first = numbers.len() != count;
        if is_first {
            numbers = vec![WAITS; count];
        }
        let updated = self.update_blocks(sim, frame, (is_first, &mut numbers));
        *sim.user_data_mut() = numbers;
        Ok(updated?)
    }

    fn update_blocks(
        &mut self,
        sim: &mut Simulation,
        frame: [f64; 2],
        (is_first, numbers): (bool, &mut [f64]),
    ) -> Result<(), StepError> {
        let mut over = Vec::new();
        for (pin, block) in blocks_mut(&self.pins, numbers) {
            let end = match pin.is_due(frame) {
                _ if block[0] != HOLDS => None,
                true => pin.released(sim)?.map(PinEventKind::Released),
                false => Some(PinEventKind::Ended),
            };
            self.events.extend(end.map(|kind| pin.event(frame[0], kind)));
            // At first nothing holds, whatever was held before a reset.
            if end.is_some() || is_first {
                block[0] = if is_first { WAITS } else { IS_OVER };
                over.push(pin);
            }
        }
        if !over.is_empty() {
            let mut held = self.permanent.clone();
            for (pin, block) in blocks_mut(&self.pins, numbers) {
                if block[0] == HOLDS && pin.attachment.is_none() {
                    held.extend(pin.vertices.iter().map(|&v| (pin.garment, v)));
                }
            }
            over.into_iter().try_for_each(|pin| pin.let_go(sim, &held))?;
        }
        for (pin, block) in blocks_mut(&self.pins, numbers) {
            if block[0] == WAITS && pin.is_due(frame) {
                let places = pin.take(sim)?;
                (block[0], block[1]) = (HOLDS, frame[0]);
                let places = places.iter().flat_map(|p| p.iter().map(|&c| f64::from(c)));
                block[2..].iter_mut().zip(places).for_each(|(number, c)| *number = c);
                let begins = (pin.span[0] > 0.0).then(|| pin.event(frame[0], PinEventKind::Taken));
                self.events.extend(begins);
            }
        }
        Ok(())
    }

    /// Binds the pins that hold to what they follow, where that was when they took their vertices; a binding
    /// is made again for another simulation. What moves goes there for it.
    pub(crate) fn bind(&mut self, bodies: &mut Bodies, sim: &mut Simulation) -> Result<(), MotionError> {
        let numbers = sim.user_data().to_vec();
        let mut rest = &numbers[..];
        for pin in &mut self.pins {
            let block = next_block(pin, &mut rest);
            let Some(guide) = pin.guide.as_ref().filter(|_| block.first() == Some(&HOLDS)) else { continue };
            if pin.binding.as_ref().is_none_or(|(made_for, _)| made_for != block) {
                bodies.move_to(sim, block[1])?;
                bodies.pose_character(block[1], &mut MotionTarget::Step(sim))?;
                let places: Vec<_> = places(block).map(Point3::cast).collect();
                pin.binding = Some((block.to_vec(), Binding::new(guide.clone(), &places, bodies)?));
            }
        }
        Ok(())
    }

    /// Moves the pins to where what they follow is now, and those with a motion of their own to where it is at
    /// this time (s), if there is one.
    pub(crate) fn move_to(
        &mut self,
        bodies: &Bodies,
        to: &mut MotionTarget<'_>,
        time: Option<f64>,
    ) -> Result<(), MotionError> {
        let goals = self.goals(bodies, to.simulation(), time)?;
        Ok(goals.into_iter().try_for_each(|(held, goal)| held.move_to(to, goal))?)
    }

    /// Where what holds is to be (m): with the bodies as they are, and by keyframes at a time (s) if there is
    /// one. Of several pins of a vertex the first comes last, and counts.
    fn goals(
        &mut self,
        bodies: &Bodies,
        sim: &Simulation,
        time: Option<f64>,
    ) -> Result<Vec<(Held, Point3<f32>)>, MotionError> {
        let (mut goals, mut rest) = (Vec::new(), sim.user_data());
        for pin in &mut self.pins {
            let block = next_block(pin, &mut rest);
            let first = goals.len();
            if block.first() != Some(&HOLDS) {
                continue;
            }
            let held: Vec<Held> = (0..pin.vertices.len()).map(|k| pin.held(k)).collect();
            if let Some((_, binding)) = &mut pin.binding {
                goals.extend(held.into_iter().zip(binding.targets(bodies)?.iter().copied()));
            } else if let (Some(time), false) = (time, pin.motion.is_empty()) {
                let [now, then] = [time, block[1]].map(|time| pose_at(&pin.motion, time));
                let motion = now.relative_to(&then);
                let moved = |p: Point3<f64>| (motion.rotation * p + motion.translation).cast();
                goals.extend(held.into_iter().zip(places(block).map(moved)));
            }
            goals[first..].reverse();
        }
        goals.reverse();
        // What a caller has unpinned is free.
        goals.retain(|(held, _)| held.exists(sim));
        Ok(goals)
    }
}

impl TimedPin {
    /// How many numbers its block has.
    fn numbers(&self) -> usize {
        2 + 3 * self.vertices.len()
    }

    /// Whether a frame has a part of its time.
    fn is_due(&self, [start, end]: [f64; 2]) -> bool {
        let slack = SLACK * (end - start);
        self.span[0] < end - slack && self.span[1] > start + slack
    }

    /// What holds the vertex `k`.
    fn held(&self, k: usize) -> Held {
        self.attachment.map_or(Held::Pin(self.garment, self.vertices[k]), |first| Held::Attachment(first + k))
    }

    fn event(&self, time: f64, kind: PinEventKind) -> PinEvent {
        PinEvent { time, garment: self.garment, pin: self.entry, vertices: self.names.clone(), kind }
    }

    /// What it measures if that is beyond its limit after a step.
    fn released(&self, sim: &Simulation) -> Result<Option<PinRelease>, StepError> {
        let attachments = || (0..self.vertices.len()).filter_map(|k| Some(self.attachment? + k));
        Ok(match self.release {
            None => None,
            Some(PinRelease::Force(limit)) => {
                let forces = attachments().map(|number| Ok(sim.attachment(number)?.force.cast::<f64>()));
                let force = forces.sum::<Result<Vector3<f64>, StepError>>()?.norm();
                (force > limit).then_some(PinRelease::Force(force))
            }
            Some(PinRelease::Distance(limit)) => {
                let mut largest = 0.0_f64;
                for (k, &vertex) in self.vertices.iter().enumerate() {
                    let cloth = sim.cloth_id(self.garment)?;
                    let target = match self.held(k) {
                        Held::Attachment(number) => Some(sim.attachment(number)?.target),
                        Held::Pin(..) => sim.pin_target(cloth, vertex)?,
                    };
                    let place = sim.cloth_positions(cloth).and_then(|all| all.get(vertex as usize));
                    let apart = place.zip(target).map(|(place, target)| (place - target).norm());
                    largest = largest.max(apart.unwrap_or(0.0).into());
                }
                (largest > limit).then_some(PinRelease::Distance(largest))
            }
        })
    }

    /// Holds the vertices where they are (m).
    fn take(&self, sim: &mut Simulation) -> Result<Vec<Point3<f32>>, StepError> {
        let cloth = sim.cloth_id(self.garment)?;
        for k in 0..self.vertices.len() {
            match self.held(k) {
                Held::Attachment(number) => sim.set_attachment(number, true)?,
                // What another pin holds is where that has it.
                held if held.exists(sim) => {}
                Held::Pin(_, vertex) => sim.pin(cloth, vertex)?,
            }
        }
        let all = sim.cloth_positions(cloth).unwrap_or_default();
        Ok(self.vertices.iter().filter_map(|&v| all.get(v as usize).copied()).collect())
    }

    /// Holds the vertices no more, but for those that other pins hold.
    fn let_go(&self, sim: &mut Simulation, held: &BTreeSet<(usize, u32)>) -> Result<(), StepError> {
        if let Some(first) = self.attachment {
            return (first..first + self.vertices.len()).try_for_each(|i| sim.set_attachment(i, false));
        }
        let is_free = |v: &u32| !held.contains(&(self.garment, *v));
        let free: Vec<u32> = self.vertices.iter().copied().filter(is_free).collect();
        sim.unpin_all(sim.cloth_id(self.garment)?, &free)
    }
}

/// The pins with their blocks of numbers.
fn blocks_mut<'p, 'n>(
    pins: &'p [TimedPin],
    mut numbers: &'n mut [f64],
) -> impl Iterator<Item = (&'p TimedPin, &'n mut [f64])> + use<'p, 'n> {
    pins.iter().map(move |pin| {
        let (block, rest) = std::mem::take(&mut numbers).split_at_mut(pin.numbers());
        numbers = rest;
        (pin, block)
    })
}

/// The block of a pin, the next of these numbers; empty if there are not so many.
fn next_block<'a>(pin: &TimedPin, numbers: &mut &'a [f64]) -> &'a [f64] {
    let (block, rest) = numbers.split_at_checked(pin.numbers()).unwrap_or_default();
    *numbers = rest;
    block
}

/// Where the vertices of a block were taken (m).
fn places(block: &[f64]) -> impl Iterator<Item = Point3<f64>> {
    block[2..].chunks_exact(3).map(|p| Point3::new(p[0], p[1], p[2]))
}
