//! What holds a cloth: its pins and attachments, or what is under it.

use cloth_geom::closest::point_triangle;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::Collider;
use crate::assets::{Assets, Part};
use crate::constraints::ElasticConstraints;
use crate::registry::Registry;
use crate::state::State;
use crate::teleport::Ends;

/// Vertices of a cloth without pins whose supports are searched, and vertices of a body by which is found how
/// it moves.
const SAMPLES: usize = 64;

/// How far away (longest sides of the cloth) something is under it, and how far fixings that move alike may
/// be left from their targets.
pub(crate) const NEAR: f64 = 0.1;

/// What holds a cloth at a point.
#[derive(Clone, Copy)]
pub(crate) struct Fixing {
    pub(crate) ends: Ends,
    /// The velocity (m/s) that it has had.
    pub(crate) velocity: Vector3<f64>,
}

/// What moves at the start of a step.
#[derive(Clone, Copy)]
pub(crate) struct Movers<'a> {
    pub(crate) assets: &'a Assets,
    pub(crate) state: &'a State,
    pub(crate) colliders: &'a [Collider],
    pub(crate) registry: &'a Registry<Collider>,
    pub(crate) constraints: &'a ElasticConstraints,
    /// The number of cloths; the parts behind them are mesh bodies, and axes of colliders.
    pub(crate) cloths: usize,
    /// The number of mesh bodies.
    pub(crate) bodies: usize,
}

impl<'a> Movers<'a> {
    pub(crate) fn cloth_parts(&self) -> impl Iterator<Item = &'a Part> + use<'a> {
        self.assets.parts[..self.cloths].iter()
    }

    pub(crate) fn body_parts(&self) -> impl Iterator<Item = &'a Part> + use<'a> {
        self.assets.parts[self.cloths..self.cloths + self.bodies].iter()
    }

    /// The collider of each axis, by its place among them.
    pub(crate) fn axis_colliders(&self) -> impl Iterator<Item = Option<usize>> + use<'a> {
        let registry = self.registry;
        self.assets.axes.iter().map(move |axis| registry.index(axis.collider))
    }

    /// The longest side (m) of the box around a part at the start.
    pub(crate) fn longest_side(&self, part: &Part) -> f64 {
        let start = &self.assets.start[part.vertices.clone()];
        let Some(&first) = start.first() else { return 0.0 };
        let (low, high) = start.iter().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)));
        f64::from((high - low).max())
    }

    /// Where a kinematic vertex is and where it is to be.
    fn ends(&self, v: usize) -> Ends {
        [self.state.x[v], self.state.kinematic_t1[v]].map(Point3::cast)
    }

    /// What holds a cloth: its pins and its attachments, or of a cloth without them the pose of its drive.
    pub(crate) fn fixings(&self, part: &Part) -> impl Iterator<Item = Fixing> + Clone + use<'a> {
        let (this, range) = (*self, part.vertices.clone());
        let (start, own) = (range.start, range.clone());
        let velocity = move |v: usize| this.state.v[v].cast::<f64>();
        // A vertex of no face has no mass, and holds nothing.
        let topology = this.assets.surface.topology();
        let is_pin =
            move |v: &usize| this.state.sleep.inv_mass[*v] == 0.0 && !topology.vertex_faces(*v).is_empty();
        let pinned = range.clone().filter(is_pin);
        let pinned = pinned.map(move |v| Fixing { ends: this.ends(v), velocity: velocity(v) });
        let attachments = this.constraints.attachments.iter().zip(&this.state.attachments);
        let attached = attachments.filter(move |(a, now)| now.holds && own.contains(&(a.vertex as usize)));
        let attached = attached.map(move |(attachment, now)| Fixing {
            ends: now.targets.map(Point3::cast),
            velocity: velocity(attachment.vertex as usize),
        });
        let held = pinned.chain(attached);
        let drives = this.constraints.drives.iter().zip(&this.state.drive_poses);
        let has_none = held.clone().next().is_none();
        let of_drive = drives.filter(move |(drive, _)| has_none && drive.cloth() == range);
        let driven = of_drive.flat_map(move |(drive, pose)| {
            (0..drive.cloth().len())
                .map(move |v| Fixing { ends: pose.ends(v).map(Point3::cast), velocity: velocity(start + v) })
        });
        held.chain(driven)
    }

    /// Where [`Self::fixings`] are, and where they are to be.
    pub(crate) fn pins(&self, part: &Part) -> Vec<Ends> {
        self.fixings(part).map(|fixing| fixing.ends).collect()
    }

    /// Some vertices of a mesh body: how it moves on the whole is a matter of a few.
    pub(crate) fn vertices(&self, part: &Part) -> impl Iterator<Item = Fixing> + Clone + use<'a> {
        let (this, stride) = (*self, part.vertices.len().div_ceil(SAMPLES).max(1));
        part.vertices
            .clone()
            .step_by(stride)
            .map(move |v| Fixing { ends: this.ends(v), velocity: this.state.v[v].cast() })
    }

    /// All vertices of a mesh body.
    pub(crate) fn body(&self, part: &Part) -> Vec<Ends> {
        part.vertices.clone().map(|v| self.ends(v)).collect()
    }

    /// Points of a collider, its origin and one on each axis.
    pub(crate) fn collider(collider: &Collider) -> [Ends; 4] {
        let reach =
            collider.shape.bounds().map_or(1.0, |[low, high]| f64::from((high - low).max().max(1.0e-3)));
        [[0.0; 3], [reach, 0.0, 0.0], [0.0, reach, 0.0], [0.0, 0.0, reach]]
            .map(|p| [&collider.pose_t0, &collider.pose_t1].map(|pose| pose.cast::<f64>() * Point3::from(p)))
    }

    /// The points under a cloth without pins, of what moves if that is at least half of what is under it, and
    /// for how much of the cloth there are such points.
    ///
    /// Under a vertex is the nearest body or collider, if it is within a tenth of the longest side.
    pub(crate) fn supports(&self, part: &Part, longest_side: f64) -> (Vec<Ends>, f64) {
        let reach = NEAR * longest_side;
        let stride = part.vertices.len().div_ceil(SAMPLES).max(1);
        let samples = part.vertices.clone().step_by(stride).map(|v| self.state.x[v].cast::<f64>());
        let supports: Vec<Ends> = samples.filter_map(|p| self.support(&p, reach)).collect();
        let moving: Vec<Ends> =
            supports.iter().filter(|[from, to]| (to - from).norm() > reach).copied().collect();
        if 2 * moving.len() < supports.len() {
            return (Vec::new(), 0.0);
        }
        let share = moving.len() as f64 / part.vertices.len().div_ceil(stride).max(1) as f64;
        (moving, share)
    }

    /// The nearest point of a body or a collider within `reach` (m) of a point.
    fn support(&self, p: &Point3<f64>, reach: f64) -> Option<Ends> {
        let mut nearest: Option<(f64, Ends)> = None;
        let mut offer = |distance: f64, ends: Ends| {
            if distance <= reach && nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, ends));
            }
        };
        let faces = self.assets.surface.topology().faces();
        for part in self.body_parts() {
            for face in &faces[part.faces.clone()] {
                let corners = face.map(|v| self.ends(v as usize));
                let far = |k: usize| {
                    let along = corners.map(|ends| ends[0][k]);
                    along.iter().all(|c| *c > p[k] + reach) || along.iter().all(|c| *c < p[k] - reach)
                };
                if (0..3).any(far) {
                    continue;
                }
                let found = point_triangle(p, [&corners[0][0], &corners[1][0], &corners[2][0]]);
                let at = |end: usize| {
                    let sum = corners.iter().zip(found.weights).map(|(ends, w)| ends[end].coords * w);
                    Point3::from(sum.sum::<Vector3<f64>>())
                };
                offer(found.distance_sq.sqrt(), [at(0), at(1)]);
            }
        }
        for collider in self.colliders {
            let poses =
                [&collider.pose_t0, &collider.pose_t1].map(|pose: &Isometry3<f32>| pose.cast::<f64>());
            let local = poses[0].inverse_transform_point(p).cast::<f32>();
            let found = collider.shape.nearest(&local);
            let at = (local - found.normal * found.distance).cast::<f64>();
            offer(f64::from(found.distance.max(0.0)), poses.map(|pose| pose * at));
        }
        nearest.map(|(_, ends)| ends)
    }
}
