//! What the scenarios have in common: thickness, jitter, cloths, floors and balls.

use cloth_contacts::collider::ColliderError;
use cloth_geom::fixtures::{self, FixtureError, Sheet};
use cloth_geom::{Topology, TriMesh};
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{
    ClothDesc, Collider, ContactSource, Material, RestShape, Settings, Shape, Thickness, Wind,
};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use crate::Size;
use crate::scenario::Driver;

/// Thickness `2r + SCR` as a part of the shortest rest edge: the most at which contacts between near
/// neighbours do not fight the cloth's own springs.
const THICKNESS_PER_EDGE: f64 = 0.5;
/// How much of the thickness is static collision radius.
const SCR_SHARE: f32 = 0.2;
/// Jitter of the start positions, as a part of the shortest rest edge: no scene depends on perfect symmetry.
const JITTER_PER_EDGE: f64 = 1e-3;
/// Coefficient of friction between cloth, of all scenarios that do not say otherwise.
pub(super) const CLOTH_FRICTION: f32 = 0.3;
/// Coefficient of friction of floors: wood or carpet.
pub(super) const FLOOR_FRICTION: f32 = 0.5;
/// Coefficient of friction of balls and bodies.
pub(super) const BODY_FRICTION: f32 = 0.3;

/// Under-relaxation of bending and shear that lets cloth shear more and its threads stretch less: with the
/// default, the largest stretch of `stack` is 16 instead of 10 %, and the 99th percentile of `reef-knot` 5.3
/// instead of 3.9 %.
pub(super) const YIELDING_SHEAR: f32 = 0.25;

/// The solver's default settings in still air, but for the substeps and the friction between cloth. What
/// makes a run safe is spelled out, so that no other default ever changes a figure; a run may still ask for
/// no gate.
///
/// With the gate on, a scenario detects contacts as rarely as leaves its stretch and penetration as they are
/// with two substeps a detection: what is missed in between, the gate keeps apart.
pub(super) fn settings(substeps: u32) -> Settings {
    Settings {
        substeps,
        self_friction: CLOTH_FRICTION,
        wind: Wind::STILL_AIR,
        gate: true,
        recovery: false,
        sleep: None,
        ..Settings::default()
    }
}

/// Vertices along a side of the sheets for which the scenarios name their substeps.
const NAMED_FOR: usize = 64;

/// Substeps of a sheet with `count` vertices along each side. On a finer one they grow with their number:
/// what goes a quarter of an edge in a substep would go a whole one.
pub(super) fn substeps(named: u32, count: usize) -> u32 {
    (named * count.max(NAMED_FOR) as u32).div_ceil(NAMED_FOR as u32)
}

/// The thickness of a cloth of this rest shape.
pub(super) fn thickness(rest: &TriMesh) -> Thickness {
    split(THICKNESS_PER_EDGE * shortest_edge(rest))
}

/// A thickness `2r + SCR` (m) with the usual share of static collision radius.
pub(super) fn split(total: f64) -> Thickness {
    Thickness::from_total(total as f32, SCR_SHARE)
}

/// A cloth whose rest shape is the mesh and which starts there, but for jitter.
pub(super) fn cloth(rest: &TriMesh, material: Material, seed: u64) -> Result<ClothDesc, FixtureError> {
    let start = fixtures::jitter(rest, JITTER_PER_EDGE * shortest_edge(rest), seed)?;
    let mut cloth = ClothDesc::new(start, material, thickness(rest));
    cloth.rest = RestShape::Positions(rest.positions.clone());
    Ok(cloth)
}

/// A cloth as [`cloth`] makes it, that has a place in the order of layers and whose last `held` vertices are
/// pinned; `most` (m) is its greatest thickness.
pub(super) fn layer(
    rest: &TriMesh,
    material: Material,
    place: u16,
    held: usize,
    most: f64,
) -> Result<ClothDesc, FixtureError> {
    let mut cloth = cloth(rest, material, u64::from(place))?;
    let total = f64::from(cloth.thickness.total()).min(most);
    cloth.thickness = split(total);
    cloth.layer = Some(place);
    let count = rest.positions.len() as u32;
    cloth.pins = (count - held as u32..count).collect();
    Ok(cloth)
}

/// Settings of a game for layers in order: few substeps, and contacts that are computed once, between
/// vertices and faces of other layers within `reach` (m).
pub(super) fn settings_of_layers(substeps: u32, reach: f32) -> Settings {
    Settings {
        relaxation: 1.0,
        wind_interval: 1,
        friction_iterations: 1,
        contacts: ContactSource::Cached { reach, follow: true },
        recovery_speed: 2.0,
        ..settings(substeps)
    }
}

/// The same of what hangs on legs, with so many passes over threads and contacts in a substep.
pub(super) fn settings_of_skirts(substeps: u32, passes: u32, reach: f32) -> Settings {
    Settings {
        iterations: passes,
        stretch_cycles: passes,
        air_damping: 1.0,
        ..settings_of_layers(substeps, reach)
    }
}

/// A square sheet of `side` (m), `count` vertices along each side, with the edges to measure. It lies flat
/// around the origin.
pub(super) fn square(count: usize, side: f64) -> Result<(Sheet, MeasuredEdges), FixtureError> {
    let sheet = fixtures::sheet(count, count, [side, side])?;
    let measured = MeasuredEdges::of_sheet(&sheet);
    Ok((sheet, measured))
}

/// The sheet turned upright: its warp vertical, row 0 lowest, around the origin.
pub(super) fn upright(mesh: TriMesh) -> TriMesh {
    mesh.rotated(Vector3::x_axis(), -std::f64::consts::FRAC_PI_2)
}

/// The half-space below y = 0.
pub(super) fn floor() -> Result<Collider, ColliderError> {
    Collider::new(Shape::Plane, Isometry3::identity(), FLOOR_FRICTION)
}

/// A ball of a radius (m) that stands on the floor.
pub(super) fn ball(radius: f32) -> Result<Collider, ColliderError> {
    Collider::new(Shape::Sphere { radius }, Isometry3::translation(0.0, radius, 0.0), BODY_FRICTION)
}

/// A turn about a unit vector by an angle (rad), through `libm`: the same bits everywhere.
pub(crate) fn turn(axis: &Vector3<f32>, angle: f32) -> UnitQuaternion<f32> {
    let (sin, cos) = (libm::sinf(0.5 * angle), libm::cosf(0.5 * angle));
    UnitQuaternion::new_normalize(Quaternion::from_parts(cos, axis * sin))
}

/// Moves a collider to a pose that depends on the time (s).
pub(super) fn moves(collider: usize, pose: fn(f32) -> Isometry3<f32>) -> Driver {
    Box::new(move |stage, _, time| stage.move_collider(collider, pose(time)))
}

/// From 0 to 1 between two times (s), without a jerk at either end.
pub(super) fn ease(from: f32, to: f32, time: f32) -> f32 {
    let t = ((time - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Length (m) of the shortest edge; 0 for a mesh without edges, or with faces that are no surface.
fn shortest_edge(mesh: &TriMesh) -> f64 {
    let Ok(topology) = Topology::of_mesh(mesh) else { return 0.0 };
    let length = |&[a, b]: &[u32; 2]| (mesh.positions[b as usize] - mesh.positions[a as usize]).norm();
    topology.edges().iter().map(length).reduce(f64::min).unwrap_or(0.0)
}

/// Every how many substeps an audit tests the pairs of a scene that has many: all of them at the small size.
pub(super) fn audit_every(size: Size) -> u64 {
    if size == Size::Small { 1 } else { 10 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn an_upright_sheet_is_exactly_upright_with_row_0_lowest() {
        let (sheet, _) = square(3, 1.0).expect("a sheet");
        let turned = upright(sheet.mesh.clone());
        assert!(turned.positions.iter().all(|p| p.z == 0.0));
        assert_eq!(turned.positions[0], Point3::new(-0.5, -0.5, 0.0));
        assert_eq!(turned.positions[8], Point3::new(0.5, 0.5, 0.0));
    }

    #[test]
    fn eases_from_nothing_to_all() {
        assert_eq!([0.0, 1.0, 2.0, 3.0, 4.0].map(|t| ease(1.0, 3.0, t)), [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert!(ease(1.0, 3.0, 1.1) < 0.01, "it begins slowly");
    }

    #[test]
    fn thickness_is_half_the_shortest_edge_and_jitter_a_thousandth() {
        let (sheet, _) = square(5, 1.0).expect("a sheet");
        let cloth = cloth(&sheet.mesh, Material::COTTON, 3).expect("a cloth");
        assert!((cloth.thickness.total() - 0.125).abs() < 1e-6);
        let moved = cloth.mesh.positions.iter().zip(&sheet.mesh.positions).map(|(a, b)| (a - b).amax());
        let most = moved.fold(0.0, f64::max);
        assert!(most <= 0.25e-3 && most > 0.2e-3, "{most}");
        assert_eq!(cloth.rest, RestShape::Positions(sheet.mesh.positions));
    }
}
