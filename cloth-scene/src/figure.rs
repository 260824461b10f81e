//! A person made of capsules: the body that a garment settles on.
//!
//! ```text
//!            ( )          head, neck
//!        .--=====--.      shoulders, one bar
//!       / /|     |\ \     upper arms and forearms, 40 degrees from the vertical (an A-pose)
//!      / / |     | \ \    torso
//!          |  |  |
//!          |  |  |        thighs, shins
//!         _|_ | _|_       feet
//! ```
//!
//! It stands on the floor and looks along +z. From the waist up it is the figure that
//! [`TshirtShape`](cloth_geom::fixtures::TshirtShape) is cut for; what lies below is there for the look, and
//! for trousers and skirts. [`CapsuleFigure::mannequin`] is the one that users dress.

use cloth_contacts::collider::ColliderError;
use cloth_solver::{Collider, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// The convex hull of two balls around `from` and `to` (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// What it is of the body.
    pub name: &'static str,
    /// One end of the axis.
    pub from: Point3<f32>,
    /// The other end; equal to `from` for a ball.
    pub to: Point3<f32>,
    /// Radius (m) at `from`.
    pub radius: f32,
    /// Radius (m) at `to`; equal to `radius` but for the forearms of a mannequin.
    pub to_radius: f32,
}

/// A person made of capsules, between the feet the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct CapsuleFigure {
    capsules: Vec<Capsule>,
}

/// Cosine and sine of the angle of the arms from the vertical, 40 degrees: written down, not computed, so
/// that the figure has the same bytes everywhere.
const ARM: [f32; 2] = [0.766_044_44, 0.642_787_6];
/// Along the arm from the shoulder joint (m): elbow and wrist.
const ELBOW: f32 = 0.30;
const WRIST: f32 = 0.56;
/// Half the distance of the shoulder joints and their height (m).
const SHOULDER: [f32; 2] = [0.18, 1.40];

/// What the wrist of a mannequin measures around (m), as that of a slim adult: a cuff passes over it.
const WRIST_GIRTH: f32 = 0.165;

/// Name, ends, radius (m).
type Part = (&'static str, [f32; 3], [f32; 3], f32);

/// Capsules in the middle.
const MIDDLE: [Part; 4] = [
    ("torso", [0.0, 0.85, 0.0], [0.0, 1.27, 0.0], 0.13),
    ("shoulders", [-SHOULDER[0], SHOULDER[1], 0.0], [SHOULDER[0], SHOULDER[1], 0.0], 0.06),
    ("neck", [0.0, 1.40, 0.0], [0.0, 1.60, 0.0], 0.06),
    ("head", [0.0, 1.65, 0.0], [0.0, 1.65, 0.0], 0.11),
];

/// What a mannequin has on top: a bar that is 0.39 m wide, about 0.24 m more around than the torso, so that a
/// waist is the narrowest place and a skirt has something to rest on.
const HIPS: Part = ("hips", [-0.075, 0.88, 0.0], [0.075, 0.88, 0.0], 0.12);

/// Capsules of the left side (+x); the right side is their mirror image.
const LEFT: [Part; 5] = [
    ("upper arm", along_arm(0.0, ARM), along_arm(ELBOW, ARM), 0.05),
    ("forearm", along_arm(ELBOW, ARM), along_arm(WRIST, ARM), 0.04),
    ("thigh", [0.075, 0.83, 0.0], [0.085, 0.45, 0.0], 0.07),
    ("shin", [0.085, 0.45, 0.0], [0.09, 0.06, -0.01], 0.05),
    ("foot", [0.09, 0.04, -0.01], [0.10, 0.04, 0.14], 0.04),
];

const fn along_arm(distance: f32, [cos, sin]: [f32; 2]) -> [f32; 3] {
    [SHOULDER[0] + sin * distance, SHOULDER[1] - cos * distance, 0.0]
}

impl CapsuleFigure {
    /// Height (m) of the default figure, whom the built-in t-shirt fits.
    pub const HEIGHT: f32 = 1.76;

    /// Height (m) of the mannequin.
    pub const MANNEQUIN_HEIGHT: f32 = 1.75;

    /// Angle (degrees) of the arms of the mannequin from the vertical, where no other is given.
    pub const MANNEQUIN_ARMS_DEG: f32 = 45.0;

    /// The figure to be dressed: it is [`CapsuleFigure::MANNEQUIN_HEIGHT`] tall, has hips, the last of its
    /// capsules, and forearms that taper to the wrists. Its arms are at an angle (degrees) from the vertical:
    /// 0 for arms that hang, 90 for a T-pose. An angle that is not finite is refused by
    /// [`CapsuleFigure::colliders`].
    #[must_use]
    pub fn mannequin(arms_deg: f32) -> Self {
        let angle = arms_deg.to_radians();
        let arm = [libm::cosf(angle), libm::sinf(angle)];
        let mut left = LEFT;
        (left[0].1, left[0].2) = (along_arm(0.0, arm), along_arm(ELBOW, arm));
        (left[1].1, left[1].2) = (along_arm(ELBOW, arm), along_arm(WRIST, arm));
        let mut figure = Self::from_parts(Self::MANNEQUIN_HEIGHT, left, Some(HIPS));
        for forearm in figure.capsules.iter_mut().filter(|c| c.name == "forearm") {
            forearm.to_radius = WRIST_GIRTH / std::f32::consts::TAU;
        }
        figure
    }

    fn from_parts(height: f32, left: [Part; 5], last: Option<Part>) -> Self {
        let scale = height / Self::HEIGHT;
        let point = |p: [f32; 3], side: f32| Point3::new(p[0] * side, p[1], p[2]) * scale;
        let capsule = |(name, from, to, radius), side| Capsule {
            name,
            from: point(from, side),
            to: point(to, side),
            radius: radius * scale,
            to_radius: radius * scale,
        };
        let sides = [1.0, -1.0].into_iter().flat_map(|side| left.into_iter().map(move |part| (part, side)));
        let parts = MIDDLE.into_iter().map(|part| (part, 1.0)).chain(sides);
        let parts = parts.chain(last.map(|part| (part, 1.0)));
        Self { capsules: parts.map(|(part, side)| capsule(part, side)).collect() }
    }

    /// The capsules: the middle, the left side, the right side.
    #[must_use]
    pub fn capsules(&self) -> &[Capsule] {
        &self.capsules
    }

    /// The figure as colliders, one for each capsule and in their order, moved by `pose`.
    ///
    /// # Errors
    /// If the pose, the friction or the angle of the arms is not a usable number.
    pub fn colliders(&self, friction: f32, pose: &Isometry3<f32>) -> Result<Vec<Collider>, ColliderError> {
        self.capsules.iter().map(|capsule| capsule.collider(friction, pose)).collect()
    }
}

impl Default for CapsuleFigure {
    fn default() -> Self {
        Self::from_parts(Self::HEIGHT, LEFT, None)
    }
}

impl Capsule {
    /// The capsule as a collider, moved by `pose`.
    ///
    /// # Errors
    /// If the radius, the pose or the friction is not a usable number.
    pub fn collider(&self, friction: f32, pose: &Isometry3<f32>) -> Result<Collider, ColliderError> {
        let axis = self.to - self.from;
        let half_length = 0.5 * axis.norm();
        let shape = if self.radius == self.to_radius {
            Shape::Capsule { half_length, radius: self.radius }
        } else {
            Shape::TaperedCapsule { half_length, bottom_radius: self.radius, top_radius: self.to_radius }
        };
        let middle = Translation3::from(nalgebra::center(&self.from, &self.to));
        Collider::new(shape, pose * Isometry3::from_parts(middle, from_y_to(&axis)), friction)
    }
}

/// The turn from y to a direction, by square roots alone: transcendental functions differ between machines.
///
/// The sum of the two unit vectors halves the angle between them, so that it and y make the half-angle
/// quaternion.
fn from_y_to(axis: &Vector3<f32>) -> UnitQuaternion<f32> {
    let Some(unit) = axis.try_normalize(0.0) else { return UnitQuaternion::identity() };
    match (unit + Vector3::y()).try_normalize(1e-3) {
        Some(half) => {
            let turn = Vector3::y().cross(&half);
            UnitQuaternion::new_normalize(nalgebra::Quaternion::new(half.y, turn.x, turn.y, turn.z))
        }
        // Straight down: half a turn about x.
        None => UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{TshirtShape, tshirt};

    fn distance(colliders: &[Collider], p: &Point3<f32>) -> f32 {
        let from = |c: &Collider| c.shape.nearest(&c.pose_t1.inverse_transform_point(p)).distance;
        colliders.iter().map(from).fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn both_ends_of_every_capsule_lie_a_radius_deep_in_its_collider() {
        let pose = Isometry3::new(Vector3::new(0.3, 0.1, -2.0), Vector3::new(0.4, 1.0, -0.3));
        let figures = [CapsuleFigure::default(), CapsuleFigure::mannequin(45.0)];
        for capsule in figures.iter().flat_map(CapsuleFigure::capsules) {
            let collider = [capsule.collider(0.3, &pose).expect("usable")];
            for (end, radius) in [(capsule.from, capsule.radius), (capsule.to, capsule.to_radius)] {
                let depth = -distance(&collider, &(pose * end));
                // A few roundings of metres.
                assert!((depth - radius).abs() < 1e-6, "{}: {depth}", capsule.name);
            }
        }
    }

    #[test]
    fn turns_y_to_every_direction() {
        for axis in
            [Vector3::y(), -Vector3::y(), Vector3::x(), Vector3::new(0.2, -0.9, 0.1), Vector3::zeros()]
        {
            let expected = axis.try_normalize(0.0).unwrap_or(Vector3::y());
            assert!((from_y_to(&axis) * Vector3::y() - expected).norm() < 1e-6, "{axis}");
        }
    }

    #[test]
    fn stands_on_the_floor_and_has_its_height() {
        for (figure, height) in [(CapsuleFigure::default(), 1.76), (CapsuleFigure::mannequin(45.0), 1.75)] {
            let ends = || figure.capsules().iter().flat_map(|c| [(c.from, c.radius), (c.to, c.to_radius)]);
            let top = ends().map(|(p, r)| p.y + r).fold(0.0, f32::max);
            let bottom = ends().map(|(p, r)| p.y - r).fold(1.0, f32::min);
            assert!((top - height).abs() < 1e-6 && bottom.abs() < 1e-6, "{bottom} to {top}");
        }
    }

    #[test]
    fn a_mannequin_is_the_figure_with_hips_wrists_and_other_arms() {
        let plain = CapsuleFigure::default();
        let [same, level] = [40.0, 90.0].map(CapsuleFigure::mannequin);
        assert_eq!(same.capsules().last().map(|c| c.name), Some("hips"));
        let scale = CapsuleFigure::MANNEQUIN_HEIGHT / CapsuleFigure::HEIGHT;
        for (i, plain) in plain.capsules().iter().enumerate() {
            let (same, level) = (same.capsules()[i], level.capsules()[i]);
            let off = (same.from - plain.from * scale).norm() + (same.to - plain.to * scale).norm();
            // A rounding of the sine.
            assert!(off < 1e-6 && (same.radius - plain.radius * scale).abs() < 1e-7, "{plain:?}");
            if plain.name.ends_with("arm") {
                assert!((level.to.y - 1.4 * scale).abs() < 1e-6 && level.to.x.abs() > 0.47, "{level:?}");
            } else {
                assert_eq!(level, same);
            }
            let girth = std::f32::consts::TAU * same.to_radius;
            match plain.name {
                "forearm" => assert!((girth - 0.165).abs() < 1e-6, "{girth}"),
                _ => assert_eq!(same.radius, same.to_radius),
            }
        }
    }

    #[test]
    fn the_built_in_shirt_starts_clear_of_it() {
        let colliders = CapsuleFigure::default().colliders(0.3, &Isometry3::identity()).expect("usable");
        let shirt = tshirt(TshirtShape::default()).expect("a shirt");
        let nearest = shirt.positions_f32().iter().map(|p| distance(&colliders, p)).fold(1.0, f32::min);
        assert!(nearest > 0.012, "{nearest}");
    }

    #[test]
    fn refuses_arms_at_no_angle() {
        for angle in [f32::NAN, f32::INFINITY] {
            let refused = CapsuleFigure::mannequin(angle).colliders(0.3, &Isometry3::identity());
            assert!(refused.is_err(), "{angle}");
        }
    }
}
