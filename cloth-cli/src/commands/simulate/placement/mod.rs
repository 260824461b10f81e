//! Where a garment starts on the figure: its openings are matched to the parts of the body by what both
//! measure around.
//!
//! ```text
//! mesh --openings--> boundary loops --wear--> top, bottom or hat
//! top: neck to the neck, sleeves along the arms and legs along the legs, whose angles the figure takes
//! bottom: waist to where the trunk is as wide; hat: brim around the head
//! --fit--> the place nearby where the garment is least inside the body
//! ```

mod body;
mod fit;
mod garment_kind;
mod limbs;
mod openings;
#[cfg(test)]
mod outcomes;
mod scene;

use cloth_geom::{Aabb, Topology, TriMesh};
use cloth_verify::{CapsuleFigure, LimbAngles};
use nalgebra::Vector3;

use body::Body;
use fit::{Candidate, Fit, best};
use garment_kind::{GarmentKind, Pair, classify};
use limbs::{legs as legs_deg, limbs};
use openings::{Opening, openings};

pub(super) use scene::place_garments;

/// Openings less around (m, on the default figure) are not for a body: half a wrist. A garment that is
/// shorter than `SHORT` (m) is in another unit, perhaps: its openings are measured by its size, so that its
/// kind does not depend on the unit.
const LEAST_OPENING: f64 = 0.12;
const SHORT: f64 = 0.5;

/// From this factor on a garment that is too small is in another unit, most likely.
const OTHER_UNIT: f64 = 2.5;

/// A garment that is longer than the figure is tall, by this factor, is not for it.
const TOO_LARGE: f64 = 1.4;

/// What head, neck, upper arm and forearm measure around (m, on the default figure).
const HEAD: f64 = 0.691;
const NECK: f64 = 0.377;
const UPPER_ARM: f64 = 0.314;
const FOREARM: f64 = 0.251;

/// From the shoulder joint to the elbow (m, on the default figure).
const ELBOW: f64 = 0.30;

/// How much (as a part) an opening may be narrower than what goes through it: woven cloth stretches no
/// further.
const TOO_NARROW: f64 = 0.9;

/// A brim that is less around than this part of the head does not sit on it.
const LEAST_BRIM: f64 = 0.5;

/// Heights (m, on the default figure) at which the middle of a neck opening is tried, and the one at which it
/// belongs.
const NECKS: [f64; 2] = [1.36, 1.60];
const NECK_HEIGHT: f64 = 1.46;

/// Heights at which a hat's brim is tried: from the neck to the top of the head.
const BRIMS: [f64; 2] = [1.46, 1.80];

/// Step (m) between the places that are tried, and how far forward and back.
const STEP: f64 = 0.01;
const FORWARD: f64 = 0.12;

/// A garment on the figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placement {
    /// Where it is moved (m).
    pub(super) translate: Vector3<f64>,
    /// How the figure holds its limbs.
    pub(super) limbs: LimbAngles,
    /// Where it is, and what is doubtful about it.
    pub(super) note: String,
}

/// The figure that is to be dressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct FigureSize {
    /// Its height (m).
    pub(super) height: f64,
    /// How it holds its limbs; as the garment does if that is not given.
    pub(super) limbs: Option<LimbAngles>,
}

impl FigureSize {
    /// From the keys of a figure.
    pub(super) fn new(height: Option<f64>, limbs: Option<LimbAngles>) -> Self {
        Self { height: height.unwrap_or(CapsuleFigure::HEIGHT.into()), limbs }
    }
}

/// Places a garment on the figure; the error says why it fits no part of it.
pub(super) fn on_figure(mesh: &TriMesh, size: FigureSize) -> Result<Placement, String> {
    let mesh = &without_loose_vertices(mesh);
    let topology = &Topology::of_mesh(mesh).map_err(|e| e.to_string())?;
    let body = Body::new(size.height, size.limbs.unwrap_or_default());
    let openings = openings(mesh, topology, least_opening(&mesh.bounds(), &body));
    let kind = classify(&openings, &mesh.bounds())?;
    let longest = longest_side(&mesh.bounds());
    if longest > TOO_LARGE * size.height {
        return Err(format!(
            "{longest:.2} m long, it is too large for {:.2} m; is its unit right?",
            size.height
        ));
    }
    match kind {
        GarmentKind::Top { neck, sleeves, legs } => {
            top(mesh, size, &body, &TopOpenings { neck, sleeves, legs })
        }
        GarmentKind::Bottom { waist, legs } => bottom(mesh, size, &body, waist, legs),
        GarmentKind::Hat { brim } => hat(mesh, size, &body, brim),
    }
}

/// The least length (m) of a boundary that counts as an opening of a garment.
fn least_opening(garment: &Aabb, body: &Body) -> f64 {
    body.length(LEAST_OPENING) * (longest_side(garment) / body.length(SHORT)).min(1.0)
}

fn longest_side(garment: &Aabb) -> f64 {
    (garment.max - garment.min).max()
}

/// A mesh without the vertices of no face, which have no place on a body.
fn without_loose_vertices(mesh: &TriMesh) -> TriMesh {
    let mut new_id = vec![None; mesh.positions.len()];
    let mut positions = Vec::new();
    let mut kept = |v: u32| {
        *new_id[v as usize].get_or_insert_with(|| {
            positions.push(mesh.positions[v as usize]);
            positions.len() as u32 - 1
        })
    };
    let faces = mesh.faces.iter().map(|face| face.map(&mut kept)).collect();
    TriMesh::new(positions, faces)
}

/// What goes around the parts of a body: the neck, the arms, and the legs of a suit.
struct TopOpenings<'a> {
    neck: &'a Opening,
    sleeves: Pair<'a>,
    legs: Option<Pair<'a>>,
}

fn top(mesh: &TriMesh, size: FigureSize, body: &Body, top: &TopOpenings) -> Result<Placement, String> {
    let TopOpenings { neck, sleeves: [left, right], legs } = *top;
    // Larger, it would be longer than the figure or fall off its shoulders.
    let max_scale = max_scale(mesh, size).min(body.shoulders() / neck.around);
    let wide_enough = |what, around, body| wide_enough(what, around, body, max_scale);
    let sleeve = left.around.min(right.around);
    wide_enough("neck", neck.around, body.length(NECK))?;
    let middle = nalgebra::center(&left.middle, &right.middle);
    let half_span = 0.5 * (left.middle.x - right.middle.x);
    // With the neck where it belongs, the sleeves end on the upper arms or on the forearms.
    let ends_below = neck.middle.y - middle.y - body.length(NECK_HEIGHT) + body.shoulder().y;
    let is_long = (half_span - body.shoulder().x).hypot(ends_below) > body.length(ELBOW);
    wide_enough("sleeve", sleeve, body.length(if is_long { FOREARM } else { UPPER_ARM }))?;
    let mut candidates = Vec::new();
    for height in steps(NECKS.map(|h| body.length(h)), STEP) {
        let up = height - neck.middle.y;
        // How far the sleeve reaches out from the shoulder, and down.
        let reach = [half_span - body.shoulder().x, body.shoulder().y - (middle.y + up)];
        for limbs in limbs(size, reach, legs_deg(legs, up, body), body) {
            for z in steps([-FORWARD, FORWARD], 3.0 * STEP) {
                let translate = Vector3::new(-middle.x, up, z - middle.z);
                let off = (height - body.length(NECK_HEIGHT)).hypot(z);
                candidates.push(Candidate { translate, limbs, off });
            }
        }
    }
    let fit = best(mesh, size.height, &candidates).ok_or("it would start too deep inside the body")?;
    let mut where_to = format!(
        "placed on the shoulders: neck opening of {:.2} m around the neck ({:.2} m) at {:.2} m, sleeves of {sleeve:.2} m \
         around the arms, {:.0} degrees from the vertical",
        neck.around,
        body.length(NECK),
        neck.middle.y + fit.translate.y,
        fit.limbs.arms_deg,
    );
    where_to.push_str(&legs_in_words(legs, &fit));
    if neck.around > body.shoulders() {
        where_to.push_str(&format!(
            "; that neck opening is wider than the shoulders ({:.2} m), so it falls off them: is the start its rest shape?",
            body.shoulders()
        ));
    }
    Ok(placement(fit, where_to))
}

fn bottom(
    mesh: &TriMesh,
    size: FigureSize,
    body: &Body,
    waist: &Opening,
    legs: Option<Pair>,
) -> Result<Placement, String> {
    let band = body.waist();
    let heights = || steps(band, STEP);
    let narrowest = heights().map(|y| body.girth(y)).fold(f64::INFINITY, f64::min);
    let widest = heights().map(|y| body.girth(y)).fold(0.0, f64::max);
    wide_enough("waist", waist.around, narrowest, max_scale(mesh, size))?;
    // Where the trunk first is as wide as the opening, from the chest down; what is wider than the hips
    // starts at their top.
    let fits = |y: &f64| body.girth(*y) <= waist.around.min(0.98 * widest);
    let target = heights().find(fits).unwrap_or(0.5 * (band[0] + band[1]));
    let mut candidates = Vec::new();
    for height in heights() {
        let legs_deg = legs_deg(legs, height - waist.middle.y, body) as f32;
        let limbs = size.limbs.unwrap_or(LimbAngles { legs_deg, ..LimbAngles::default() });
        for z in steps([-FORWARD, FORWARD], 2.0 * STEP) {
            let translate = Vector3::new(-waist.middle.x, height - waist.middle.y, z - waist.middle.z);
            candidates.push(Candidate { translate, limbs, off: (height - target).hypot(z) });
        }
    }
    let fit = best(mesh, size.height, &candidates).ok_or("it would start too deep inside the body")?;
    let height = waist.middle.y + fit.translate.y;
    let mut where_to = format!(
        "placed on the waist: opening of {:.2} m at {height:.2} m, where the figure measures {:.2} m",
        waist.around,
        body.girth(height),
    );
    where_to.push_str(&legs_in_words(legs, &fit));
    if waist.around > widest {
        where_to.push_str(&format!(
            "; that is wider than the hips ({widest:.2} m), so it slides down: a smaller --scale or a belt holds it"
        ));
    }
    Ok(placement(fit, where_to))
}

fn hat(mesh: &TriMesh, size: FigureSize, body: &Body, brim: &Opening) -> Result<Placement, String> {
    // A hat may sit on top of the head, so its brim may be narrower than the head.
    if brim.around < LEAST_BRIM * body.length(HEAD) {
        wide_enough("brim", brim.around, body.length(HEAD), f64::INFINITY)?;
    }
    let limbs = size.limbs.unwrap_or_default();
    let mut candidates = Vec::new();
    for height in steps(BRIMS.map(|h| body.length(h)), STEP) {
        for z in steps([-0.06, 0.06], 2.0 * STEP) {
            let translate = Vector3::new(-brim.middle.x, height - brim.middle.y, z - brim.middle.z);
            let off = (height - body.length(BRIMS[0])).hypot(z);
            candidates.push(Candidate { translate, limbs, off });
        }
    }
    let fit = best(mesh, size.height, &candidates).ok_or("it is too small for the head")?;
    let height = brim.middle.y + fit.translate.y;
    Ok(placement(fit, format!("placed on the head: opening of {:.2} m at {height:.2} m", brim.around)))
}

/// How the legs of the figure are spread for a garment, if they are.
fn legs_in_words(legs: Option<Pair>, fit: &Fit) -> String {
    match legs {
        Some(_) if fit.limbs.legs_deg > 0.0 => {
            format!(", legs spread by {:.0} degrees", fit.limbs.legs_deg)
        }
        _ => String::new(),
    }
}

fn placement(fit: Fit, where_to: String) -> Placement {
    let deep = match fit.depth {
        0.0 => "nothing starts inside it".to_owned(),
        depth => format!("it starts up to {:.1} mm inside, and is pushed out", 1e3 * depth),
    };
    Placement { translate: fit.translate, limbs: fit.limbs, note: format!("{where_to}; {deep}") }
}

/// How many times as large a garment still is as long as the figure is tall.
fn max_scale(garment: &TriMesh, size: FigureSize) -> f64 {
    size.height / longest_side(&garment.bounds())
}

/// Refuses an opening (m) that is narrower than the part of the body (m) that it is for, and names the factor
/// that would make it fit if that is not above `max_scale`.
fn wide_enough(what: &str, around: f64, body: f64, max_scale: f64) -> Result<(), String> {
    if around >= TOO_NARROW * body {
        return Ok(());
    }
    let scale = (20.0 * body / around).ceil() / 20.0;
    let advice = match scale {
        scale if scale > max_scale => "it is made for a thinner body".to_owned(),
        scale if scale >= OTHER_UNIT => format!("--scale {scale} would fit; is its unit right?"),
        scale => format!("--scale {scale} would fit"),
    };
    Err(format!("its {what} opening, {around:.2} m around, is too narrow for {body:.2} m; {advice}"))
}

/// Numbers from one to another.
fn steps([from, to]: [f64; 2], step: f64) -> impl Iterator<Item = f64> {
    let count = ((to - from) / step).round() as usize;
    (0..=count).map(move |i| from + step * i as f64)
}

/// From how high (m) over its body a garment falls: a part of its longest side.
pub(super) fn drop_height(garment: &Aabb) -> f64 {
    0.03 * (garment.max - garment.min).max()
}

/// The translation that lowers a box on the middle of another, `gap` (m) above it.
pub(super) fn above(garment: &Aabb, body: &Aabb, gap: f64) -> Vector3<f64> {
    let (from, to) = (nalgebra::center(&garment.min, &garment.max), nalgebra::center(&body.min, &body.max));
    Vector3::new(to.x - from.x, body.max.y + gap - garment.min.y, to.z - from.z)
}

#[cfg(test)]
mod tests;
