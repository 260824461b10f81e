//! Half-spaces and balls as contacts of rapier-cloth-core, which has no collision shapes of its own.
//!
//! XPBD takes a plane for each particle that is near; the implicit solver takes contacts of one particle
//! each, and asks how far a motion may go: until a particle is nearer than nine tenths of the separation, the
//! share that the library itself keeps between cloths.

use cloth_solver::{Collider, Shape};
use rapier_cloth_core::{
    ClothError, CollisionWork, Contact, ContactKey, ContactMotion, ContactSource, ContactStage, Real,
    SurfaceContact, SurfaceContactKey, SurfaceFeature, Vec3,
};

/// Share of the separation that a motion must keep.
const KEPT: Real = 0.9;

/// A collider at rest.
#[derive(Clone, Copy, Debug)]
enum Solid {
    /// What is below this height (m).
    HalfSpace(Real),
    /// A ball.
    Ball { middle: Vec3, radius: Real },
}

/// A solid with its friction.
#[derive(Clone, Copy, Debug)]
struct Obstacle {
    solid: Solid,
    friction: Real,
}

/// The colliders of a scene.
#[derive(Clone, Debug, Default)]
pub(super) struct Obstacles {
    obstacles: Vec<Obstacle>,
    /// Distance (m) that particles keep.
    separation: Real,
    /// Distance (m) beyond it within which a contact is reported.
    margin: Real,
    /// Whether contacts are those of the implicit solver.
    as_surface: bool,
}

impl Obstacles {
    /// The colliders, from which particles keep `separation` (m); contacts are reported within `margin` (m)
    /// more.
    ///
    /// # Errors
    /// If a collider is neither a plane nor a ball.
    pub(super) fn new(
        colliders: &[Collider],
        separation: Real,
        margin: Real,
        as_surface: bool,
    ) -> Result<Self, String> {
        let obstacles = colliders.iter().map(Obstacle::new).collect::<Result<Vec<_>, String>>()?;
        Ok(Self { obstacles, separation, margin, as_surface })
    }

    /// Each particle within the margin of an obstacle: its index, the obstacle, the normal, and the nearest
    /// point of the obstacle.
    fn near<'a>(&'a self, positions: &'a [Vec3]) -> impl Iterator<Item = (u32, usize, Vec3, Vec3)> + 'a {
        let reach = self.separation + self.margin;
        let all = self.obstacles.iter().enumerate().flat_map(move |(k, o)| {
            positions.iter().enumerate().map(move |(v, &p)| (v, p, k, o.solid.nearest(p)))
        });
        all.filter(move |(_, _, _, (_, distance))| *distance <= reach)
            .map(|(v, p, k, (normal, distance))| (v as u32, k, normal, p - normal * distance))
    }
}

impl Obstacle {
    fn new(collider: &Collider) -> Result<Self, String> {
        let at = collider.pose_t1.translation.vector.map(f64::from);
        let solid = match &collider.shape {
            Shape::Plane => Solid::HalfSpace(at.y),
            Shape::Sphere { radius } => {
                Solid::Ball { middle: Vec3::new(at.x, at.y, at.z), radius: f64::from(*radius) }
            }
            other => return Err(format!("the bench does not translate {other:?} for rapier-cloth-core")),
        };
        Ok(Self { solid, friction: f64::from(collider.friction) })
    }
}

impl Solid {
    /// Unit normal towards a point, and its signed distance (m).
    fn nearest(self, p: Vec3) -> (Vec3, Real) {
        match self {
            Self::HalfSpace(height) => (Vec3::Y, p.y - height),
            Self::Ball { middle, radius } => {
                let away = p - middle;
                let length = away.length();
                (if length > 0.0 { away / length } else { Vec3::Y }, length - radius)
            }
        }
    }

    /// How much of the motion from `start` to `end` stays at a distance of at least `least` (m); 1 if all of
    /// it does.
    fn free_fraction(self, start: Vec3, end: Vec3, least: Real) -> Real {
        let [from, to] = [start, end].map(|p| self.nearest(p).1 - least);
        let fraction = match self {
            Self::HalfSpace(_) if to >= 0.0 => return 1.0,
            Self::HalfSpace(_) => from / (from - to),
            Self::Ball { middle, radius } => {
                let (s, d) = (start - middle, end - start);
                let (a, b, c) = (d.length_squared(), s.dot(d), s.length_squared() - (radius + least).powi(2));
                let discriminant = b * b - a * c;
                if b >= 0.0 || discriminant <= 0.0 {
                    return 1.0;
                }
                (-b - discriminant.sqrt()) / a
            }
        };
        fraction.clamp(0.0, 1.0)
    }
}

impl ContactSource for Obstacles {
    fn continuous_motion(&self) -> bool {
        self.as_surface
    }

    fn motion_fraction(
        &mut self,
        motion: ContactMotion<'_>,
        _: &mut CollisionWork,
    ) -> Result<Real, ClothError> {
        let least = KEPT * self.separation;
        let pairs = motion.start.iter().zip(motion.end);
        let fractions = pairs.flat_map(|(&start, &end)| {
            self.obstacles.iter().map(move |o| o.solid.free_fraction(start, end, least))
        });
        Ok(fractions.fold(1.0, Real::min))
    }

    fn contacts(
        &mut self,
        _: &[Vec3],
        positions: &[Vec3],
        _: Real,
        _: ContactStage,
        out: &mut Vec<Contact>,
    ) -> Result<(), ClothError> {
        if !self.as_surface {
            out.extend(self.near(positions).map(|(particle, k, normal, point)| Contact {
                key: ContactKey { particle, external: k as u64, feature: 0 },
                normal,
                point,
                surface_velocity: Vec3::ZERO,
                friction: self.obstacles[k].friction,
            }));
        }
        Ok(())
    }

    fn surface_contacts(
        &mut self,
        _: &[Vec3],
        positions: &[Vec3],
        _: ContactStage,
        out: &mut Vec<SurfaceContact>,
    ) -> Result<(), ClothError> {
        if self.as_surface {
            out.extend(self.near(positions).map(|(v, k, normal, point)| SurfaceContact {
                key: SurfaceContactKey {
                    other_cloth: None,
                    features: [
                        SurfaceFeature::Vertex(v),
                        SurfaceFeature::External { object: k as u64, feature: 0 },
                    ],
                },
                particles: [v, 0, 0, 0],
                weights: [1.0, 0.0, 0.0, 0.0],
                normal,
                offset: point,
                surface_velocity: Vec3::ZERO,
                separation: self.separation,
                static_friction: self.obstacles[k].friction,
                kinetic_friction: self.obstacles[k].friction,
            }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_ends_where_it_comes_too_near() {
        let floor = Solid::HalfSpace(0.0);
        let down = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, -1.0, 0.0));
        assert!((floor.free_fraction(down.0, down.1, 0.2) - 0.4).abs() < 1e-12);
        assert_eq!(floor.free_fraction(down.1, down.0, 0.2), 1.0);
        let ball = Solid::Ball { middle: Vec3::ZERO, radius: 0.5 };
        let fraction = ball.free_fraction(Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.0, -2.0, 0.0), 0.25);
        assert!((fraction - 1.25 / 4.0).abs() < 1e-12, "{fraction}");
        assert_eq!(ball.free_fraction(Vec3::new(1.0, 2.0, 0.0), Vec3::new(1.0, -2.0, 0.0), 0.25), 1.0);
    }

    #[test]
    fn near_particles_have_contacts_of_the_kind_asked_for() {
        let floor = Obstacle { solid: Solid::HalfSpace(0.0), friction: 0.5 };
        for as_surface in [false, true] {
            let mut source = Obstacles { obstacles: vec![floor], separation: 0.01, margin: 0.01, as_surface };
            let positions = [Vec3::new(0.0, 0.015, 0.0), Vec3::new(0.0, 0.03, 0.0)];
            let (mut planes, mut surface) = (Vec::new(), Vec::new());
            source.contacts(&[], &positions, 0.0, ContactStage::Iteration, &mut planes).expect("contacts");
            source
                .surface_contacts(&[], &positions, ContactStage::Iteration, &mut surface)
                .expect("contacts");
            assert_eq!([planes.len(), surface.len()], if as_surface { [0, 1] } else { [1, 0] });
        }
    }
}
