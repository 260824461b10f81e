//! A body of a scene: its shape, its friction, and how it moves.
//!
//! In the file the keys of a shape are on the same level as those of the body, so that the line of a
//! misspelled key is known; `kind` says which of them are needed.

use std::path::PathBuf;

use cloth_io::ArrayNames;
use serde::{Deserialize, Serialize};

use crate::animation::MotionKey;
use crate::dynamics::DynamicsKeys;
use crate::motion::check_motion;
use crate::{Dynamics, Keyframe, Up, VertexAnimation, number};

/// `[[body]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub struct Body {
    /// What to call it in reports.
    pub name: Option<String>,
    /// Its shape, before it is moved.
    pub shape: Shape,
    /// Friction coefficient, instead of that of `[settings]`.
    pub friction: Option<f64>,
    /// Whether edges and faces of cloth keep away from its axis as well, for thin and fast bodies: spheres,
    /// capsules, boxes and figures only.
    pub is_guarded: bool,
    /// Its motion, in the order of time; none if it stands still. See [`crate::pose_at`]. Of a rigid body at
    /// most one, its initial pose.
    pub motion: Vec<Keyframe>,
    /// Recorded motion of the vertices of a mesh, instead of keyframes.
    pub animation: Option<VertexAnimation>,
    /// Mass and initial velocity, which make it a rigid body: spheres, capsules and boxes only.
    pub dynamics: Option<Dynamics>,
}

/// The shape of a body; lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `"plane"`: all that lies below it.
    Plane {
        /// A point on it.
        point: [f64; 3],
        /// Its outward direction, of any length.
        normal: [f64; 3],
    },
    /// `"sphere"`.
    Sphere {
        /// Its centre.
        center: [f64; 3],
        /// Its radius.
        radius: f64,
    },
    /// `"capsule"`: all points within the radius of a segment.
    Capsule {
        /// One end of the segment.
        start: [f64; 3],
        /// Its other end.
        end: [f64; 3],
        /// The radius.
        radius: f64,
    },
    /// `"box"`, along the axes.
    Box {
        /// Its centre.
        center: [f64; 3],
        /// Half its lengths.
        half_extents: [f64; 3],
    },
    /// `"mesh"`: a closed surface.
    Mesh {
        /// The mesh file: OBJ, PLY, STL, OFF, NPZ or USD, of which the first frame is read.
        path: PathBuf,
        /// The arrays that are read of an NPZ file, and of one of its motion, `"POSITIONS,FACES"`; found by
        /// their names or shapes by default.
        arrays: Option<ArrayNames>,
        /// Metres in a unit of the file; 1 by default.
        scale: f64,
        /// The axis that points up in the file.
        up: Up,
    },
    /// `"figure"`: a person made of capsules, feet at the origin.
    Figure {
        /// Angle of the arms from the vertical (degrees), 0 to 90; 45 by default.
        arms: Option<f64>,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Plane,
    Sphere,
    Capsule,
    Box,
    Mesh,
    Figure,
}

/// All keys of a body, as they stand in the file.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Kind,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, deserialize_with = "number::finite")]
    point: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::direction")]
    normal: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite")]
    center: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite")]
    start: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite")]
    end: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::positive")]
    radius: Option<f64>,
    #[serde(default, deserialize_with = "number::positive")]
    half_extents: Option<[f64; 3]>,
    #[serde(default)]
    path: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arrays: Option<ArrayNames>,
    #[serde(default, deserialize_with = "number::positive")]
    scale: Option<f64>,
    #[serde(default)]
    up: Option<Up>,
    #[serde(default, deserialize_with = "number::quarter_turn")]
    arms: Option<f64>,
    #[serde(default, deserialize_with = "number::non_negative")]
    friction: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    guarded: bool,
    #[serde(default, skip_serializing_if = "MotionKey::is_empty")]
    motion: MotionKey,
    #[serde(default, deserialize_with = "number::positive")]
    motion_fps: Option<f64>,
    #[serde(default, deserialize_with = "number::non_negative")]
    motion_start: Option<f64>,
    #[serde(default, deserialize_with = "number::positive")]
    mass: Option<f64>,
    #[serde(default, deserialize_with = "number::finite")]
    velocity: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite")]
    angular_velocity: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "number::finite")]
    gravity_scale: Option<f64>,
}

impl Table {
    fn new(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Takes the keys of a rigid body out of the table.
    fn take_dynamics(&mut self) -> Result<Option<Dynamics>, String> {
        let keys = DynamicsKeys {
            mass: self.mass.take(),
            velocity: self.velocity.take(),
            angular_velocity: self.angular_velocity.take(),
            gravity_scale: self.gravity_scale.take(),
        };
        let is_solid = matches!(self.kind, Kind::Sphere | Kind::Capsule | Kind::Box);
        keys.resolve(is_solid, &self.motion)
    }

    /// Takes the keys of its kind out of the table.
    fn take_shape(&mut self) -> Result<Shape, String> {
        Ok(match self.kind {
            Kind::Plane => Shape::Plane {
                point: self.point.take().unwrap_or_default(),
                normal: self.normal.take().unwrap_or([0.0, 1.0, 0.0]),
            },
            Kind::Sphere => Shape::Sphere {
                center: need(&mut self.center, "center")?,
                radius: need(&mut self.radius, "radius")?,
            },
            Kind::Capsule => Shape::Capsule {
                start: need(&mut self.start, "start")?,
                end: need(&mut self.end, "end")?,
                radius: need(&mut self.radius, "radius")?,
            },
            Kind::Box => Shape::Box {
                center: need(&mut self.center, "center")?,
                half_extents: need(&mut self.half_extents, "half_extents")?,
            },
            Kind::Mesh => Shape::Mesh {
                path: need(&mut self.path, "path")?,
                arrays: self.arrays.take(),
                scale: self.scale.take().unwrap_or(1.0),
                up: self.up.take().unwrap_or_default(),
            },
            Kind::Figure => Shape::Figure { arms: self.arms.take() },
        })
    }

    /// A key of a shape that is still in the table.
    fn left_over(&self) -> Option<&'static str> {
        let keys = [
            ("point", self.point.is_some()),
            ("normal", self.normal.is_some()),
            ("center", self.center.is_some()),
            ("start", self.start.is_some()),
            ("end", self.end.is_some()),
            ("radius", self.radius.is_some()),
            ("half_extents", self.half_extents.is_some()),
            ("path", self.path.is_some()),
            ("arrays", self.arrays.is_some()),
            ("scale", self.scale.is_some()),
            ("up", self.up.is_some()),
            ("arms", self.arms.is_some()),
        ];
        keys.iter().find(|k| k.1).map(|k| k.0)
    }
}

fn need<T>(slot: &mut Option<T>, key: &str) -> Result<T, String> {
    slot.take().ok_or_else(|| format!("of this kind needs the key `{key}`"))
}

impl TryFrom<Table> for Body {
    type Error = String;

    fn try_from(mut table: Table) -> Result<Self, String> {
        let shape = table.take_shape()?;
        if let Some(key) = table.left_over() {
            return Err(format!("of this kind has no key `{key}`; remove it or change `kind`"));
        }
        if table.guarded && !matches!(table.kind, Kind::Sphere | Kind::Capsule | Kind::Box | Kind::Figure) {
            return Err(
                "of this kind cannot be guarded, because it has no axis; remove `guarded`, or make it \
                        of spheres, capsules, boxes or a mesh"
                    .to_owned(),
            );
        }
        let dynamics = table.take_dynamics()?;
        let is_mesh = table.kind == Kind::Mesh;
        let (motion, animation) = table.motion.split(table.motion_fps, table.motion_start, is_mesh)?;
        check_motion(&motion)?;
        let Table { name, friction, guarded: is_guarded, .. } = table;
        Ok(Self { name, shape, friction, is_guarded, motion, animation, dynamics })
    }
}

impl From<Body> for Table {
    fn from(body: Body) -> Self {
        let shape = match body.shape {
            Shape::Plane { point, normal } => {
                Self { point: Some(point), normal: Some(normal), ..Self::new(Kind::Plane) }
            }
            Shape::Sphere { center, radius } => {
                Self { center: Some(center), radius: Some(radius), ..Self::new(Kind::Sphere) }
            }
            Shape::Capsule { start, end, radius } => {
                Self { start: Some(start), end: Some(end), radius: Some(radius), ..Self::new(Kind::Capsule) }
            }
            Shape::Box { center, half_extents } => {
                Self { center: Some(center), half_extents: Some(half_extents), ..Self::new(Kind::Box) }
            }
            Shape::Mesh { path, arrays, scale, up } => {
                Self { path: Some(path), arrays, scale: Some(scale), up: Some(up), ..Self::new(Kind::Mesh) }
            }
            Shape::Figure { arms } => Self { arms, ..Self::new(Kind::Figure) },
        };
        let (motion_fps, motion_start) =
            body.animation.as_ref().map_or((None, None), |a| (a.fps, Some(a.start)));
        let motion = body.animation.map_or(MotionKey::Keyframes(body.motion), |a| MotionKey::File(a.path));
        let Body { name, friction, is_guarded: guarded, .. } = body;
        let DynamicsKeys { mass, velocity, angular_velocity, gravity_scale } = body.dynamics.into();
        Self {
            name,
            friction,
            guarded,
            motion,
            motion_fps,
            motion_start,
            mass,
            velocity,
            angular_velocity,
            gravity_scale,
            ..shape
        }
    }
}
