//! How well proxies fit the skin, per bone and in total.

use std::fmt;

/// How well proxies fit the skin.
///
/// - **Undercut** of a visible vertex of the skin, or of a point of its faces: its distance from the union of
///   all proxies; 0 if it is covered. A vertex is visible if it is not inside another part of the skin.
///   Points of equal area show gaps between vertices.
/// - **Excess** of a point of the surface of the union that is outside of the skin: its distance from the
///   skin. This is how far cloth that rests on the proxies stands off the skin. It belongs to the bone of the
///   proxy on whose surface the point lies.
///
/// Excess is measured from the proxies and not from the skin, because a ray from the skin along its normal
/// can leave a proxy of one limb and enter that of another, and because a proxy that stands where there is no
/// skin would not be measured at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitReport {
    /// The height of the character to which the tolerances are relative, m.
    pub height: f64,
    /// The bones, in the order of their joints: those that have proxies, and those whose skin should be
    /// covered.
    pub bones: Vec<BoneFit>,
    /// Over all bones.
    pub total: FitFigures,
    /// The bones without proxies of their own, in the order of their joints.
    pub left_out: Vec<LeftOutBone>,
}

/// The fit of one bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneFit {
    /// The joint at which the bone starts.
    pub joint: usize,
    /// The label of the joint.
    pub name: String,
    /// The figures.
    pub figures: FitFigures,
}

/// The figures of a fit; lengths in m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FitFigures {
    /// The number of proxies.
    pub proxies: usize,
    /// The number of visible vertices that should be covered.
    pub vertices: usize,
    /// Of these, the number inside the union of the proxies.
    pub covered: usize,
    /// The number of points of equal area of the visible skin that should be covered.
    pub points: usize,
    /// Of these, the number inside the union of the proxies.
    pub covered_points: usize,
    /// The number of vertices that are not counted, because they are inside another part of the skin.
    pub hidden: usize,
    /// The mean excess over the area of the union's surface that is outside of the skin, m.
    pub mean_excess: f64,
    /// The largest excess, m.
    pub max_excess: f64,
    /// The mean undercut over the vertices and points that are not covered, m.
    pub mean_undercut: f64,
    /// The largest undercut of a vertex or a point, m.
    pub max_undercut: f64,
}

impl FitFigures {
    /// The share of the vertices that is covered; 1 if there are none.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        if self.vertices == 0 { 1.0 } else { self.covered as f64 / self.vertices as f64 }
    }

    /// The share of the area of the visible skin that is covered; 1 if there is none. It shows gaps between
    /// vertices.
    #[must_use]
    pub fn area_coverage(&self) -> f64 {
        if self.points == 0 { 1.0 } else { self.covered_points as f64 / self.points as f64 }
    }
}

/// A bone without proxies of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOutBone {
    /// The joint at which the bone starts.
    pub joint: usize,
    /// The label of the joint.
    pub name: String,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why a bone has no proxies of its own.
///
/// Lengths are diagonals of bounding boxes of the visible skin at the bind pose, relative to the height of
/// the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOutReason {
    /// It is a finger: its chain starts at a joint from which at least two chains start, each of at least two
    /// joints without a branch and with skin that is shorter than 0.12 of the height. Its skin is not
    /// covered. Kept with `fingers`.
    Finger,
    /// It is not a finger, and its skin is shorter than 0.05 of the height, such as an eye or a lip. The
    /// proxies of its parent cover its skin. Kept with `fingers`.
    Small,
    /// An override excludes it. Its skin is not covered.
    Excluded,
    /// The world matrix of its joint at the bind pose has no inverse, so that nothing can be attached to it.
    Singular,
}

impl fmt::Display for FitReport {
    /// A table: a line per bone, then the total, in mm.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.bones.iter().map(|bone| bone.name.chars().count());
        let width = widths.max().unwrap_or(0).max("total".len());
        writeln!(
            f,
            "{:width$}  proxies  vertices  hidden  covered  of area  excess mean/max (mm)  undercut mean/max \
             (mm)",
            "bone"
        )?;
        for bone in &self.bones {
            write_line(f, width, &bone.name, &bone.figures)?;
        }
        write_line(f, width, "total", &self.total)
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, width: usize, name: &str, figures: &FitFigures) -> fmt::Result {
    writeln!(
        f,
        "{name:width$}  {:7}  {:8}  {:6}  {:6.1}%  {:6.1}%  {:10.1} / {:7.1}  {:11.1} / {:8.1}",
        figures.proxies,
        figures.vertices,
        figures.hidden,
        figures.coverage() * 100.0,
        figures.area_coverage() * 100.0,
        figures.mean_excess * 1e3,
        figures.max_excess * 1e3,
        figures.mean_undercut * 1e3,
        figures.max_undercut * 1e3
    )
}
