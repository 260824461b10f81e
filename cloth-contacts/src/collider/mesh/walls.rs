//! Further contact planes of a mesh: the face through which a path enters, and second walls within reach.

use cloth_geom::Aabb;
use cloth_geom::exact::segment_meets_triangle;
use nalgebra::{Point3, Vector3};

use super::{Foot, MeshShape, MeshSides};
use crate::collider::contact_plane::{ContactPlane, PointMotion};

/// Walls besides the nearest one: a corner has two more.
const MORE_WALLS: usize = 2;

/// A wall is another one if its nearest point stands in front of all planes so far by more than this share of
/// the reach: the inside of a bowl, finely divided, is one wall.
const STANDS_OUT: f64 = 1.0 / 16.0;

/// Share of the coordinates by which a point on a plane may miss it.
const ON_PLANE: f64 = 1.0e-6;

impl MeshShape {
    /// Calls `each` with the contact planes other than that of the nearest point `first`.
    pub(in crate::collider) fn other_walls(
        &self,
        motion: &PointMotion,
        first: &ContactPlane,
        each: &mut dyn FnMut(ContactPlane),
    ) {
        let start = motion.start.cast::<f64>();
        let mut planes = Planes::default();
        planes.add(first);
        if first.distance < 0.0 {
            return;
        }
        // A plane deflects the path, which may then cross another wall: continue with the deflected path.
        let mut end = motion.end.cast::<f64>();
        for _ in 0..=MORE_WALLS {
            if let Some(entry) = self.entry(&start, &end, &planes) {
                planes.add(&entry);
                each(entry);
            }
            let Some(turned) = planes.turned_aside(&end) else { break };
            end = turned;
        }
        for _ in 0..MORE_WALLS {
            let Some(wall) = self.wall(&start, f64::from(motion.reach), &planes) else { return };
            planes.add(&wall);
            each(wall);
        }
    }

    /// The first face on the path, if no plane so far is crossed before.
    fn entry(&self, start: &Point3<f64>, end: &Point3<f64>, planes: &Planes) -> Option<ContactPlane> {
        let mesh = &*self.0;
        let mut first: Option<(f64, usize)> = None;
        mesh.tree.visit_overlapping(&Aabb::of_points([*start, *end]), |place| {
            let face = mesh.tree.order()[place] as usize;
            let [a, b, c] = &mesh.corners[face];
            let normal = mesh.normals.of_face(face);
            let heights = [start, end].map(|p| normal.dot(&(p - a)));
            let from_behind = heights[0] <= 0.0 && mesh.sides != MeshSides::TwoSided;
            if from_behind || heights[0] == heights[1] || !segment_meets_triangle([start, end], [a, b, c]) {
                return;
            }
            let time = (heights[0] / (heights[0] - heights[1])).clamp(0.0, 1.0);
            if first.is_none_or(|best| (time, face) < best) {
                first = Some((time, face));
            }
        });
        let (time, face) = first?;
        let hit = start + (end - start) * time;
        let size = start.coords.amax().max(end.coords.amax());
        if !planes.all_behind(&hit, ON_PLANE * size) {
            return None;
        }
        let normal = mesh.normals.of_face(face);
        let height = normal.dot(&(start - mesh.corners[face][0]));
        let outward = if height < 0.0 { -normal } else { *normal };
        Some(ContactPlane {
            normal: outward.cast(),
            distance: height.abs() as f32,
            foot: hit.cast(),
            is_entry: true,
        })
    }

    /// The nearest face within reach that faces the point and stands in front of all planes so far.
    fn wall(&self, start: &Point3<f64>, reach: f64, planes: &Planes) -> Option<ContactPlane> {
        let mesh = &*self.0;
        let faces_it = |foot: &Foot| {
            mesh.sides == MeshSides::TwoSided || mesh.normals.of_face(foot.face).dot(&(start - foot.at)) > 0.0
        };
        let wanted = |foot: &Foot| planes.all_behind(&foot.at, STANDS_OUT * reach) && faces_it(foot);
        let foot = mesh.foot(start, reach * reach, wanted)?;
        let away = start - foot.at;
        let distance = away.norm();
        let normal = away / distance;
        (distance > 0.0).then(|| ContactPlane {
            normal: normal.cast(),
            distance: distance as f32,
            foot: foot.at.cast(),
            is_entry: false,
        })
    }
}

/// The planes that already bound a point's motion.
#[derive(Default)]
struct Planes {
    planes: [(Vector3<f64>, f64); 2 + 2 * MORE_WALLS],
    count: usize,
}

impl Planes {
    fn add(&mut self, plane: &ContactPlane) {
        let normal = plane.normal.cast::<f64>();
        self.planes[self.count] = (normal, normal.dot(&plane.foot.coords.cast()));
        self.count += 1;
    }

    /// The projection of a point onto the plane that it is deepest behind; `None` if it is behind no plane.
    fn turned_aside(&self, p: &Point3<f64>) -> Option<Point3<f64>> {
        let height = |&(normal, offset): &(Vector3<f64>, f64)| (normal.dot(&p.coords) - offset, normal);
        let deepest = self.planes[..self.count].iter().map(height).min_by(|a, b| a.0.total_cmp(&b.0));
        deepest.filter(|(height, _)| *height < 0.0).map(|(height, normal)| p - normal * height)
    }

    /// Whether a point is more than `margin` (m) in front of every plane, so that none of them already blocks
    /// it.
    fn all_behind(&self, p: &Point3<f64>, margin: f64) -> bool {
        self.planes[..self.count].iter().all(|(normal, offset)| normal.dot(&p.coords) - offset > margin)
    }
}
