//! Bounding balls of vertices over several steps, in a frame that moves with the mean of all.
//!
//! ```text
//!        .-------.        p -> p + d: the coming step; a ball is computed for several steps.
//!      /  p-->    \       While both ends of each step are inside, so is the path between: balls are convex.
//!     |      o     |
//!      \          /       Two vertices whose balls are farther apart than their reach make no contact.
//!        '-------'
//! ```
//!
//! Cloth that falls or is carried as a whole stays in its balls.

use cloth_geom::Aabb;
use cloth_geom::bounds::{U32, gamma};
use nalgebra::{Point3, Vector3};

use crate::Motion;

/// Steps, at the present motion, that a ball is meant to last.
const STEPS_AHEAD: f64 = 6.0;

/// Largest margin of a ball for future motion, in units of half the reach: with more, a list would contain
/// the neighbours on the flat cloth.
const MAX_MARGIN: f64 = 0.5;

/// Relative rounding error of a bound: a closest approach in `f32` has an error of 16 roundoffs of its terms,
/// which are at most five times the bound.
const ROUNDING: f64 = gamma(16 * 5, U32);

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BoundingBall {
    /// Centre in the moving frame (m).
    centre: Point3<f32>,
    radius: f64,
    /// Half the reach of its vertex (m).
    half_reach: f64,
}

/// The balls of some vertices, by their places in the list of vertices that they were made for.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundingBalls {
    balls: Vec<BoundingBall>,
    /// The mean position when the balls were made (m): the origin of the frame now is the mean less this.
    initial_mean: Vector3<f64>,
}

/// What the vertices do as a whole.
struct MeanMotion {
    /// The mean position (m).
    at: Vector3<f64>,
    /// The mean displacement (m).
    mean_displacement: Vector3<f64>,
}

impl MeanMotion {
    fn new(vertices: &[u32], motion: &Motion<'_>) -> Self {
        let (mut at, mut mean_displacement) = (Vector3::zeros(), Vector3::zeros());
        for &v in vertices {
            at += motion.positions[v as usize].coords.cast::<f64>();
            mean_displacement += motion.displacements[v as usize].cast::<f64>();
        }
        let share = 1.0 / vertices.len().max(1) as f64;
        Self { at: at * share, mean_displacement: mean_displacement * share }
    }
}

impl BoundingBalls {
    /// Recomputes the balls; `slack` (m) is the smallest margin.
    pub(crate) fn rebuild(
        &mut self,
        vertices: &[u32],
        motion: &Motion<'_>,
        half_reach: impl Fn(u32) -> f32,
        slack: f32,
    ) {
        let frame = MeanMotion::new(vertices, motion);
        self.initial_mean = frame.at;
        self.balls.clear();
        self.balls.extend(vertices.iter().map(|&v| {
            let half_reach = f64::from(half_reach(v));
            let relative: Vector3<f64> =
                motion.displacements[v as usize].cast::<f64>() - frame.mean_displacement;
            let length = relative.norm();
            // A vertex without relative motion needs no margin for it; this avoids 0 / 0 for a vertex without
            // thickness.
            let margin = 2.0 * MAX_MARGIN * half_reach;
            let steps = if length > 0.0 { (margin / length).clamp(1.0, STEPS_AHEAD) } else { 1.0 };
            let centre = motion.positions[v as usize].cast::<f64>() + relative * (0.5 * steps);
            let rounded: Point3<f32> = centre.cast();
            let off = (rounded.cast::<f64>() - centre).norm();
            let radius = (0.5 * steps * length + f64::from(slack) + off) * (1.0 + ROUNDING);
            BoundingBall { centre: rounded, radius, half_reach }
        }));
    }

    /// Whether each vertex stays in its ball through the coming step. Written so that a NaN does not.
    pub(crate) fn contain(&self, vertices: &[u32], motion: &Motion<'_>) -> bool {
        if self.balls.len() != vertices.len() {
            return false;
        }
        let frame = MeanMotion::new(vertices, motion);
        let shift = frame.at - self.initial_mean;
        self.balls.iter().zip(vertices).all(|(ball, &v)| {
            let p =
                motion.positions[v as usize].coords.cast::<f64>() - shift - ball.centre.coords.cast::<f64>();
            let q = p + motion.displacements[v as usize].cast::<f64>() - frame.mean_displacement;
            let most = ball.radius * ball.radius;
            p.norm_squared() <= most && q.norm_squared() <= most
        })
    }

    /// The box of each ball, grown by half the reach of its vertex: two that are apart, make no contact.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = Aabb> + '_ {
        self.balls.iter().map(|ball| {
            let centre = ball.centre.cast::<f64>();
            Aabb { min: centre, max: centre }.inflated((ball.radius + ball.half_reach) * (1.0 + ROUNDING))
        })
    }

    /// The centres (m).
    pub(crate) fn centres(&self) -> impl Iterator<Item = Point3<f32>> + '_ {
        self.balls.iter().map(|ball| ball.centre)
    }

    /// The distance (m) of centres beyond which no two balls come within reach.
    pub(crate) fn greatest_distance(&self) -> f64 {
        let most = self.balls.iter().fold(0.0_f64, |most, ball| most.max(ball.radius + ball.half_reach));
        2.0 * most * (1.0 + ROUNDING)
    }

    /// Whether two vertices, by index, can come within reach of each other while both stay in their balls.
    #[inline]
    pub(crate) fn near(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.balls[a as usize], &self.balls[b as usize]);
        let reach = (a.radius + a.half_reach + b.radius + b.half_reach) * (1.0 + ROUNDING);
        (b.centre.cast::<f64>() - a.centre.cast::<f64>()).norm_squared() <= reach * reach
    }

    /// Forgets the balls.
    pub(crate) fn clear(&mut self) {
        self.balls.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: u8) -> Vec<Point3<f32>> {
        (0..n).map(|i| Point3::new(f32::from(i), 0.5, -3.0)).collect()
    }

    #[test]
    fn what_moves_as_a_whole_stays_however_far_it_goes() {
        let vertices = [0, 1, 2, 3];
        let (mut p, d) = (points(4), [Vector3::new(0.5, -7.0, 0.25); 4]);
        let mut balls = BoundingBalls::default();
        balls.rebuild(&vertices, &Motion { positions: &p, displacements: &d }, |_| 0.1, 0.01);
        for _ in 0..1000 {
            assert!(balls.contain(&vertices, &Motion { positions: &p, displacements: &d }));
            p.iter_mut().zip(&d).for_each(|(p, d)| *p += d);
        }
        p[2].x += 0.02;
        assert!(!balls.contain(&vertices, &Motion { positions: &p, displacements: &d }));
    }

    #[test]
    fn a_ball_contains_both_ends_for_the_steps_it_was_made_for() {
        let vertices = [0, 1];
        let (mut p, d) = (points(2), [Vector3::new(0.01, 0.0, 0.0), Vector3::new(-0.01, 0.0, 0.0)]);
        let mut balls = BoundingBalls::default();
        balls.rebuild(&vertices, &Motion { positions: &p, displacements: &d }, |_| 1.0, 0.001);
        for step in 0..8 {
            let holds = balls.contain(&vertices, &Motion { positions: &p, displacements: &d });
            assert_eq!(holds, step < 6, "{step}");
            p.iter_mut().zip(&d).for_each(|(p, d)| *p += d);
        }
    }

    #[test]
    fn a_resting_vertex_without_thickness_lies_in_its_ball() {
        let (p, d) = (points(2), [Vector3::zeros(); 2]);
        let motion = Motion { positions: &p, displacements: &d };
        let mut balls = BoundingBalls::default();
        balls.rebuild(&[0, 1], &motion, |_| 0.0, 0.0);
        assert!(balls.centres().eq(p.iter().copied()));
        assert!(balls.contain(&[0, 1], &motion));
    }

    #[test]
    fn a_motion_that_is_not_finite_is_in_no_ball() {
        let p = points(2);
        let d = [Vector3::zeros(); 2];
        let mut balls = BoundingBalls::default();
        balls.rebuild(&[0, 1], &Motion { positions: &p, displacements: &d }, |_| 1.0, 0.1);
        let broken = [Vector3::zeros(), Vector3::new(0.0, f32::NAN, 0.0)];
        assert!(!balls.contain(&[0, 1], &Motion { positions: &p, displacements: &broken }));
    }
}
