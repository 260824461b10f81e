//! One cell: where the collider's surface is, and where its cloth begins so that a step ends as the case
//! wants it.
//!
//! All in the frame of the cell: cloth comes from above, the collider stands at the origin.

use cloth_geom::fixtures::{FixtureError, sheet};
use cloth_show::invariants::side_violation;
use cloth_solver::{ClothDesc, Material, Shape};
use nalgebra::Point3;

use super::super::parts;
use super::kinds::CellCollider;

/// Vertices along a side of the cloth, and the spacing (m) of those that meet the collider.
const COUNT: usize = 3;
const EDGE: f64 = 0.02;
/// Off the middle (m), lest anything be decided by symmetry.
const ASIDE: [f64; 2] = [0.004, 0.003];
/// How far aside of the collider (m) pins are, and how far below its lower side.
const PINS: [f64; 2] = [0.12, 0.05];
/// Heights (m) between which the collider is.
const BOUNDS: [f64; 2] = [-0.3, 0.3];
/// The greatest thickness (m) that is taken for one; a half-space has none.
const THICKEST: f64 = 0.2;
/// Cloth that does not touch begins at least this far (m) from the surface.
const CLEAR: f64 = 0.008;
/// In case c a step ends this part of the thickness deep, and no less than the second part: past the middle.
const LANDS: [f64; 2] = [0.75, 0.55];
/// Behind a sheet it ends this deep (m), so near that the discrete method sees it.
const BEHIND_SHEET: f64 = 0.002;

/// A case of the paper's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// A step leads straight through.
    A,
    /// At rest, in contact, with neighbours on the other side that are pulled away.
    B,
    /// A step ends inside, beyond the middle.
    C,
}

impl Case {
    pub(super) const ALL: [Self; 3] = [Self::A, Self::B, Self::C];

    pub(super) fn letter(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
        }
    }
}

/// The cloth of a cell for steps of `step` (m).
pub(super) fn cloth(kind: &CellCollider, case: Case, step: f64) -> Result<ClothDesc, FixtureError> {
    match case {
        Case::B => over(kind),
        Case::A | Case::C => above(kind, case, step),
    }
}

/// As stiff along warp as along weft, so that the springs of the control equal those of the solver.
fn material() -> Material {
    Material { stretch_weft: Material::COTTON.stretch_warp, ..Material::COTTON }
}

/// A sheet that lies level above the collider, so far that the next step ends as the case wants.
fn above(kind: &CellCollider, case: Case, step: f64) -> Result<ClothDesc, FixtureError> {
    let side = EDGE * (COUNT - 1) as f64;
    let flat = sheet(COUNT, COUNT, [side, side])?.mesh;
    let under = |p: &Point3<f64>| kind.surface(p.x + ASIDE[0], p.z + ASIDE[1], true);
    let top = flat.positions.iter().filter_map(under).reduce(f64::max).unwrap_or(0.0);
    let bottom = kind.surface(ASIDE[0], ASIDE[1], false).unwrap_or(top);
    let gap = gap(case, step, (top - bottom).clamp(0.0, THICKEST));
    let thickness = parts::thickness(&flat);
    let start = flat.mapped(|p| Point3::new(p.x + ASIDE[0], top + gap, p.z + ASIDE[1]));
    Ok(ClothDesc::new(start, material(), thickness))
}

/// The distance (m) from which a step ends as the case wants; too short a step ends half its length deep.
fn gap(case: Case, step: f64, thickness: f64) -> f64 {
    let deep = match case {
        Case::A if step > thickness + 2.0 * CLEAR => return 0.5 * (step - thickness),
        Case::C if thickness < BEHIND_SHEET => BEHIND_SHEET,
        Case::C if step > LANDS[1] * thickness + CLEAR => (step - CLEAR).min(LANDS[0] * thickness),
        Case::A | Case::B | Case::C => 0.5 * step,
    };
    (step - deep).max(CLEAR.min(step))
}

/// A strip that hangs over the collider: its middle column touches, its two outer ones are pinned below.
fn over(kind: &CellCollider) -> Result<ClothDesc, FixtureError> {
    let width = EDGE * (COUNT - 1) as f64;
    let thickness = parts::thickness(&sheet(COUNT, COUNT, [width, width])?.mesh);
    let reach = f64::from(thickness.radius + 0.5 * thickness.scr);
    let touching = |z: f64| Point3::new(ASIDE[0], kind.resting(ASIDE[0], z, reach), z);
    let below = kind.surface(0.0, 0.0, false).unwrap_or(0.0).max(-THICKEST) - PINS[1];
    let flat = sheet(COUNT, COUNT, [2.0 * PINS[0], width])?.mesh;
    let start = flat.clone().mapped(|p| {
        let z = p.z + ASIDE[1];
        if p.x == 0.0 { touching(z) } else { Point3::new(p.x, below, z) }
    });
    // It rests as it begins: nothing moves until it is pulled.
    let mut cloth = ClothDesc::new(start, material(), thickness);
    cloth.pins = (0..flat.positions.len() as u32).filter(|&v| flat.positions[v as usize].x != 0.0).collect();
    Ok(cloth)
}

impl CellCollider {
    fn local(&self, p: &Point3<f64>) -> Point3<f64> {
        self.turn.cast::<f64>().inverse_transform_point(p)
    }

    /// Height (m) of the upper or the lower surface at a place; none where there is no collider.
    fn surface(&self, x: f64, z: f64, upper: bool) -> Option<f64> {
        let [low, high] = BOUNDS;
        let (mut free, end) = if upper { (high, low) } else { (low, high) };
        if !upper && self.shape == Shape::Plane {
            return Some(low);
        }
        let from = self.local(&Point3::new(x, free, z));
        let hits = |y: f64| side_violation(&self.shape, &from, &self.local(&Point3::new(x, y, z))).is_some();
        if !hits(end) {
            return None;
        }
        let mut hit = end;
        for _ in 0..30 {
            let middle = 0.5 * (free + hit);
            if hits(middle) { hit = middle } else { free = middle }
        }
        Some(free)
    }

    /// The least height (m) above the upper surface at which a point is `reach` (m) away from the collider.
    fn resting(&self, x: f64, z: f64, reach: f64) -> f64 {
        let mut near = self.surface(x, z, true).unwrap_or(0.0);
        let mut far = near + 10.0 * reach;
        for _ in 0..30 {
            let middle = 0.5 * (near + far);
            let at = self.local(&Point3::new(x, middle, z)).cast::<f32>();
            if f64::from(self.shape.nearest(&at).distance) < reach { near = middle } else { far = middle }
        }
        far
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinds::kinds;
    use super::*;

    #[test]
    fn case_a_ends_past_the_collider_and_case_c_beyond_its_middle() {
        for (step, thickness) in [(3.3, 0.12), (0.5, 0.12), (0.3, 0.0)] {
            assert!(step - gap(Case::A, step, thickness) > thickness, "{step} {thickness}");
        }
        for step in [0.08, 0.1, 0.3, 3.3] {
            let deep = step - gap(Case::C, step, 0.12);
            assert!(deep > 0.55 * 0.12 && deep < 0.8 * 0.12, "{step} {deep}");
        }
        assert!((0.5 - gap(Case::C, 0.5, 0.0) - BEHIND_SHEET).abs() < 1e-12);
        assert!(gap(Case::C, 0.017, 0.12) >= CLEAR && gap(Case::A, 0.004, 0.12) > 0.0);
    }

    #[test]
    fn cloth_starts_outside_its_collider_within_reach_only_in_case_b() {
        for kind in kinds().expect("usable") {
            for case in Case::ALL {
                let cloth = cloth(&kind, case, 0.5).expect("a cloth");
                let free = (0..9).filter(|v| !cloth.pins.contains(v));
                for v in free {
                    let at = kind.local(&cloth.mesh.positions[v as usize]).cast();
                    let distance = kind.shape.nearest(&at).distance;
                    let reach = cloth.thickness.radius + cloth.thickness.scr;
                    assert!(distance > 0.0, "{} {case:?} {distance}", kind.name);
                    assert_eq!(distance < reach, case == Case::B, "{} {case:?} {distance}", kind.name);
                }
            }
        }
    }
}
