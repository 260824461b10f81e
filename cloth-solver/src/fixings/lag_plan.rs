//! Decides at the start of a step what lags in it, and what is carried.

use nalgebra::{Point3, Vector3};

use super::lag::{Carried, Lag};
use super::movers::{Movers, NEAR};
use super::path::RigidPath;
use super::sweep::Sweep;
use crate::assets::Part;
use crate::local_frame::ClothFrame;
use crate::teleport::{Carriage, Ends, RigidDisplacement};
use crate::waypoints::Waypoints;

/// How far fixings may be after a step from where their velocity leads, for the cloth to follow by its own
/// forces: in longest sides of the cloth, and in ways at the velocity limit.
const SUDDEN: f64 = 0.25;

/// Of that, what ends it: cloth that was carried is let go when its fixings move evenly again.
const EVEN: f64 = 0.1;

/// The turn (rad) in a step from which on the straight ways of points would lead through each other: 60
/// degrees, at which they shorten by 13 %.
const TURN: f64 = std::f64::consts::FRAC_PI_3;

/// What decides what lags in a step.
pub(crate) struct LagInput<'a, I> {
    pub(crate) movers: Movers<'a>,
    pub(crate) waypoints: &'a Waypoints,
    /// The ids of the mesh bodies.
    pub(crate) bodies: I,
    /// The length of the step (s).
    pub(crate) dt: f32,
    /// The speed (m/s) at which what lags goes at most.
    pub(crate) velocity_limit: f32,
    /// Against gravity.
    pub(crate) up: Vector3<f64>,
}

/// Writes what lags in a step, and what is carried.
pub(crate) fn plan(input: LagInput<'_, impl Iterator<Item = usize> + Clone>, lag: &mut Lag) {
    lag.clear();
    let LagInput { movers, waypoints, bodies, dt, velocity_limit, up } = input;
    let limit = f64::from(velocity_limit) * f64::from(dt);
    // A pin that moves at the limit does not lag by its rounding.
    let planner = Planner { movers, up, dt: dt.into(), limit: limit * (1.0 + 1.0e-5), waypoints, bodies };
    planner.plan(lag);
    for path in &mut lag.paths {
        path.share = if path.share > limit { limit / path.share } else { 1.0 };
    }
}

/// A cloth with what holds it.
struct HeldCloth<'a> {
    cloth: usize,
    part: &'a Part,
    /// Its longest side (m).
    side: f64,
    /// The points that hold it.
    fixings: Vec<Ends>,
    /// The way (m) that they would go at the velocity that they have had.
    expected: Vector3<f64>,
    /// Whether they hold it: at least half of it, where it only lies on them.
    is_held: bool,
}

/// What decides.
struct Planner<'a, I> {
    movers: Movers<'a>,
    up: Vector3<f64>,
    dt: f64,
    limit: f64,
    waypoints: &'a Waypoints,
    /// The ids of the mesh bodies.
    bodies: I,
}

impl<I: Iterator<Item = usize> + Clone> Planner<'_, I> {
    /// Writes the paths; their shares are the bounds of their lengths (m) for now.
    fn plan(&self, lag: &mut Lag) {
        let mut something_jumps = None;
        for (cloth, part) in self.movers.cloth_parts().enumerate() {
            let (side, before) = (self.movers.longest_side(part), self.movers.state.carried_before[cloth]);
            let held = match Sweep::of(self.movers.fixings(part), self.dt) {
                Some(sweep)
                    if sweep.may_turn_by(TURN)
                        || self.is_fast(&sweep)
                        || self.is_sudden(&sweep, side, before) =>
                {
                    let (fixings, expected) = (self.movers.pins(part), sweep.expected);
                    HeldCloth { cloth, part, side, fixings, expected, is_held: true }
                }
                Some(_) => continue,
                None if before != Carriage::No
                    || *something_jumps.get_or_insert_with(|| self.something_jumps()) =>
                {
                    let (fixings, share) = self.movers.supports(part, side);
                    let (expected, is_held) = (self.mean_way(part), share >= 0.5);
                    HeldCloth { cloth, part, side, fixings, expected, is_held }
                }
                None => continue,
            };
            self.consider(lag, &held);
        }
        self.add_bodies(lag);
    }

    /// The mean of the velocities of a cloth, times the duration of the step (m): a cloth moves with what is
    /// under it.
    fn mean_way(&self, part: &Part) -> Vector3<f64> {
        let sum: Vector3<f64> =
            self.movers.state.v[part.vertices.clone()].iter().map(|v| v.cast::<f64>()).sum();
        sum * (self.dt / part.vertices.len().max(1) as f64)
    }

    /// Whether points of a cloth with this longest side (m) are not where their velocity leads.
    fn is_sudden(&self, sweep: &Sweep, side: f64, before: Carriage) -> bool {
        (sweep.way - sweep.expected).norm() > self.sudden(side, before)
    }

    /// How far (m) the fixings of a cloth with this longest side (m) may be from where their velocity leads.
    fn sudden(&self, side: f64, before: Carriage) -> f64 {
        let sudden = SUDDEN * side.max(self.limit);
        match before {
            Carriage::No => sudden,
            Carriage::ToTheEnd => EVEN * sudden,
            // The last part of a way that lagged: whatever it is.
            Carriage::Lagging | Carriage::Stopped => -1.0,
        }
    }

    fn is_fast(&self, sweep: &Sweep) -> bool {
        sweep.longest > self.limit
    }

    /// Whether a body or a collider moves as cloth without pins might not follow.
    fn something_jumps(&self) -> bool {
        let jumps =
            |ends: &[Ends]| ends.iter().any(|[from, to]| (to - from).norm() > self.sudden(0.0, Carriage::No));
        let colliders = self.movers.colliders.iter().filter(|c| c.pose_t0 != c.pose_t1);
        let of_bodies = |part: &Part| {
            Sweep::of(self.movers.vertices(part), self.dt)
                .is_some_and(|s| s.may_turn_by(TURN) || self.is_sudden(&s, 0.0, Carriage::No))
        };
        colliders.into_iter().any(|c| jumps(&Movers::collider(c))) || self.movers.body_parts().any(of_bodies)
    }

    /// Gives a cloth a path if it needs one.
    fn consider(&self, lag: &mut Lag, cloth: &HeldCloth<'_>) {
        let HeldCloth { cloth: index, part, side, fixings: held, expected, .. } = cloth;
        if held.is_empty() {
            return;
        }
        let own = RigidDisplacement::fit(held, &self.up);
        let longest = held.iter().map(|[from, to]| (to - from).norm()).fold(0.0, f64::max);
        let is_fast = longest > self.limit;
        if !is_fast && !self.loses(cloth, &own) {
            return;
        }
        let shared = lag.paths.iter().position(|path| path.motion().residual(held) <= NEAR * side);
        let fits = shared.is_some() || own.residual(held) <= NEAR * side;
        if !fits && !is_fast {
            return;
        }
        let places = || self.movers.state.x[part.vertices.clone()].iter().map(|p| p.cast::<f64>());
        let path = shared.unwrap_or_else(|| {
            let from = own.middle()[0];
            let points = places().chain(held.iter().map(|ends| ends[0]));
            let extent = points.map(|p| (p - from).norm()).fold(0.0, f64::max);
            lag.push(if fits { RigidPath::new(own, extent) } else { RigidPath::straight() })
        });
        let length = match fits {
            true => lag.paths[path].length(held, places()),
            false => lag.paths[path].length(held, std::iter::empty()),
        };
        lag.add_part(self.movers.assets.parts.len(), *index, path, length);
        if fits {
            lag.carried.push(Carried {
                cloth: *index,
                frame: ClothFrame::new(part.vertices.clone(), 0.0),
                path,
                before: (expected / self.dt).cast(),
                is_stopped: self.movers.state.carried_before[*index] == Carriage::Stopped,
            });
        }
    }

    /// Whether a cloth would not follow the motion of its fixings, though none is too fast.
    fn loses(&self, cloth: &HeldCloth<'_>, motion: &RigidDisplacement) -> bool {
        let [from, to] = motion.middle();
        let before = self.movers.state.carried_before[cloth.cloth];
        let is_sudden = (to - from - cloth.expected).norm() > self.sudden(cloth.side, before);
        // What lies on something lets it turn, and is hit by what flies by.
        let is_pinned = self.movers.fixings(cloth.part).next().is_some();
        let turns = is_pinned && motion.angle() > TURN;
        turns || is_sudden && (cloth.is_held || before != Carriage::No)
    }

    /// Adds the bodies and the colliders that go along, and the bodies that lag by themselves.
    fn add_bodies(&self, lag: &mut Lag) {
        let Movers { state, assets, .. } = self.movers;
        let first = self.movers.cloths;
        for (index, (part, id)) in self.movers.body_parts().zip(self.bodies.clone()).enumerate() {
            let moves =
                state.kinematic_t0[part.vertices.clone()] != state.kinematic_t1[part.vertices.clone()];
            let path = self.waypoints.body_path(id);
            if !moves && path.is_none() {
                continue;
            }
            let Some(sweep) = Sweep::of(self.movers.vertices(part), self.dt) else { continue };
            // Its waypoints say how it turns.
            let may_turn = path.is_none() && sweep.may_turn_by(TURN);
            let is_fast = self.is_body_fast(part) || path.is_some_and(|path| self.is_path_fast(path, part));
            if lag.paths.is_empty() && !(may_turn || is_fast) {
                continue;
            }
            let held = self.movers.body(part);
            let along = lag.paths.iter().position(|path| path.motion().explains(&held));
            let own = || {
                let motion = RigidDisplacement::fit(&held, &self.up);
                let side = self.movers.longest_side(part);
                let fits = motion.residual(&held) <= NEAR * side;
                (is_fast || may_turn && fits && motion.angle() > TURN).then(|| {
                    let from = motion.middle()[0];
                    let extent = held.iter().map(|ends| (ends[0] - from).norm()).fold(0.0, f64::max);
                    if fits { RigidPath::new(motion, extent) } else { RigidPath::straight() }
                })
            };
            if let Some(path) = along.or_else(|| own().map(|path| lag.push(path))) {
                let length = lag.paths[path].length(&held, std::iter::empty());
                lag.add_part(assets.parts.len(), first + index, path, length);
            }
        }
        self.add_colliders(lag);
    }

    fn add_colliders(&self, lag: &mut Lag) {
        let is_guarded = |index: usize| self.movers.axis_colliders().any(|guarded| guarded == Some(index));
        for (index, collider) in self.movers.colliders.iter().enumerate() {
            if collider.pose_t0 == collider.pose_t1 {
                continue;
            }
            let ends = Movers::collider(collider);
            let along = lag.paths.iter().position(|path| path.motion().explains(&ends));
            let longest = ends.iter().map(|[from, to]| (to - from).norm()).fold(0.0, f64::max);
            let own = || {
                (longest > self.limit && is_guarded(index))
                    .then(|| RigidPath::new(RigidDisplacement::fit(&ends, &self.up), longest))
            };
            if let Some(path) = along.or_else(|| own().map(|path| lag.push(path))) {
                let length = lag.paths[path].length(&ends, std::iter::empty());
                lag.paths[path].share = lag.paths[path].share.max(length);
                lag.colliders.resize(self.movers.colliders.len(), None);
                lag.colliders[index] = Some(path);
            }
        }
    }

    /// Whether a vertex of a body is faster than the limit.
    fn is_body_fast(&self, part: &Part) -> bool {
        let (state, range) = (self.movers.state, part.vertices.clone());
        let limit_sq = (self.limit * self.limit) as f32;
        let ways = state.kinematic_t0[range.clone()].iter().zip(&state.kinematic_t1[range]);
        ways.fold(0.0, |longest: f32, (from, to)| longest.max((to - from).norm_squared())) > limit_sq
    }

    /// Whether the path of a body through its waypoints is faster than the limit.
    fn is_path_fast(&self, path: &[Point3<f32>], part: &Part) -> bool {
        let state = self.movers.state;
        let count = part.vertices.len().max(1);
        let limit = self.limit / (path.len() / count + 1) as f64;
        let (start, end) =
            (&state.kinematic_t0[part.vertices.clone()], &state.kinematic_t1[part.vertices.clone()]);
        let knots = || std::iter::once(start).chain(path.chunks(count)).chain([end]);
        let is_fast = |(a, b): (&Point3<f32>, &Point3<f32>)| f64::from((b - a).norm()) > limit;
        knots().zip(knots().skip(1)).any(|(from, to)| from.iter().zip(to).any(is_fast))
    }
}
