//! Where a garment starts on the figure: its openings are matched to the parts of the body by what both measure around.
//!
//! ```text
//! mesh --openings--> boundary loops --wear--> top, bottom or hat
//! top: neck to the neck, sleeves along the arms, whose angle the figure takes
//! bottom: waist to where the trunk is as wide; hat: brim around the head
//! --fit--> the place nearby where the garment is least inside the body
//! ```

mod body;
mod fit;
mod garment_kind;
mod openings;
#[cfg(test)]
mod outcomes;
mod scene;

use cloth_geom::{Aabb, Topology, TriMesh};
use cloth_verify::CapsuleFigure;
use nalgebra::Vector3;

use body::Body;
use fit::{Candidate, Fit, best};
use garment_kind::{GarmentKind, classify};
use openings::{Opening, openings};

pub(super) use scene::place_garments;

/// Openings less around (m, on the default figure) are not for a body: half a wrist.
const LEAST_OPENING: f64 = 0.12;

/// What neck, upper arm and forearm measure around (m, on the default figure).
const NECK: f64 = 0.377;
const UPPER_ARM: f64 = 0.314;
const FOREARM: f64 = 0.251;

/// From the shoulder joint to the elbow (m, on the default figure).
const ELBOW: f64 = 0.30;

/// How much (as a part) an opening may be narrower than what goes through it: woven cloth stretches no further.
const TOO_NARROW: f64 = 0.9;

/// Heights (m, on the default figure) at which the middle of a neck opening is tried, and the one at which it belongs.
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
    /// Angle of the figure's arms from the vertical (degrees).
    pub(super) arms_deg: f64,
    /// Where it is, and what is doubtful about it.
    pub(super) note: String,
}

/// The figure that is to be dressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct FigureSize {
    /// Its height (m).
    pub(super) height: f64,
    /// Angle of its arms from the vertical (degrees); that of the garment if none is given.
    pub(super) arms_deg: Option<f64>,
}

impl FigureSize {
    /// From the keys of a figure.
    pub(super) fn new(height: Option<f64>, arms_deg: Option<f64>) -> Self {
        Self { height: height.unwrap_or(CapsuleFigure::HEIGHT.into()), arms_deg }
    }
}

/// Places a garment on the figure; the error says why it fits no part of it.
pub(super) fn on_figure(mesh: &TriMesh, size: FigureSize) -> Result<Placement, String> {
    let mesh = &without_loose_vertices(mesh);
    let topology = &Topology::of_mesh(mesh).map_err(|e| e.to_string())?;
    let body = Body::new(size.height, size.arms_deg.unwrap_or(CapsuleFigure::ARMS_DEG.into()));
    let openings = openings(mesh, topology, body.length(LEAST_OPENING));
    match classify(&openings, &mesh.bounds())? {
        GarmentKind::Top { neck, sleeves } => top(mesh, size, &body, neck, sleeves),
        GarmentKind::Bottom { waist } => bottom(mesh, size, &body, waist),
        GarmentKind::Hat { brim } => hat(mesh, size, &body, brim),
    }
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

fn top(
    mesh: &TriMesh,
    size: FigureSize,
    body: &Body,
    neck: &Opening,
    sleeves: [&Opening; 2],
) -> Result<Placement, String> {
    let [left, right] = sleeves;
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
        for arms_deg in arms(size, reach, body) {
            for z in steps([-FORWARD, FORWARD], 3.0 * STEP) {
                let translate = Vector3::new(-middle.x, up, z - middle.z);
                let off = (height - body.length(NECK_HEIGHT)).hypot(z);
                candidates.push(Candidate { translate, arms_deg, off });
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
        fit.arms_deg,
    );
    if neck.around > body.shoulders() {
        where_to.push_str(&format!(
            "; that neck opening is wider than the shoulders ({:.2} m), so it falls off them: is the start its rest shape?",
            body.shoulders()
        ));
    }
    Ok(placement(fit, where_to))
}

/// The angles (degrees) of the arms to try for a sleeve that reaches so far (m) out from the shoulder and down.
fn arms(size: FigureSize, [out, down]: [f64; 2], body: &Body) -> Vec<f64> {
    if let Some(given) = size.arms_deg {
        return vec![given];
    }
    // A short sleeve ends at the joint: its middle says little about the arm.
    if out.hypot(down) < body.length(0.15) {
        return steps([10.0, 80.0], 10.0).collect();
    }
    let straight = out.atan2(down).to_degrees();
    [-8.0, 0.0, 8.0].map(|turn| (straight + turn).clamp(0.0, 90.0).round()).to_vec()
}

fn bottom(mesh: &TriMesh, size: FigureSize, body: &Body, waist: &Opening) -> Result<Placement, String> {
    let band = body.waist();
    let heights = || steps(band, STEP);
    let narrowest = heights().map(|y| body.girth(y)).fold(f64::INFINITY, f64::min);
    let widest = heights().map(|y| body.girth(y)).fold(0.0, f64::max);
    wide_enough("waist", waist.around, narrowest)?;
    // Where the trunk first is as wide as the opening, from the chest down; what is wider than the hips starts at their top.
    let fits = |y: &f64| body.girth(*y) <= waist.around.min(0.98 * widest);
    let target = heights().find(fits).unwrap_or(0.5 * (band[0] + band[1]));
    let mut candidates = Vec::new();
    for height in heights() {
        for z in steps([-FORWARD, FORWARD], 2.0 * STEP) {
            let translate = Vector3::new(-waist.middle.x, height - waist.middle.y, z - waist.middle.z);
            candidates.push(Candidate {
                translate,
                arms_deg: arms_beside(size),
                off: (height - target).hypot(z),
            });
        }
    }
    let fit = best(mesh, size.height, &candidates).ok_or("it would start too deep inside the body")?;
    let height = waist.middle.y + fit.translate.y;
    let mut where_to = format!(
        "placed on the waist: opening of {:.2} m at {height:.2} m, where the figure measures {:.2} m",
        waist.around,
        body.girth(height),
    );
    if waist.around > widest {
        where_to.push_str(&format!(
            "; that is wider than the hips ({widest:.2} m), so it slides down: a smaller --scale or a belt holds it"
        ));
    }
    Ok(placement(fit, where_to))
}

fn hat(mesh: &TriMesh, size: FigureSize, body: &Body, brim: &Opening) -> Result<Placement, String> {
    let mut candidates = Vec::new();
    for height in steps(BRIMS.map(|h| body.length(h)), STEP) {
        for z in steps([-0.06, 0.06], 2.0 * STEP) {
            let translate = Vector3::new(-brim.middle.x, height - brim.middle.y, z - brim.middle.z);
            let off = (height - body.length(BRIMS[0])).hypot(z);
            candidates.push(Candidate { translate, arms_deg: arms_beside(size), off });
        }
    }
    let fit = best(mesh, size.height, &candidates).ok_or("it is too small for the head")?;
    let height = brim.middle.y + fit.translate.y;
    Ok(placement(fit, format!("placed on the head: opening of {:.2} m at {height:.2} m", brim.around)))
}

/// The arms (degrees) of a figure whose garment has no sleeves.
fn arms_beside(size: FigureSize) -> f64 {
    size.arms_deg.unwrap_or(CapsuleFigure::ARMS_DEG.into())
}

fn placement(fit: Fit, where_to: String) -> Placement {
    let deep = match fit.depth {
        0.0 => "nothing starts inside it".to_owned(),
        depth => format!("it starts up to {:.1} mm inside, and is pushed out", 1e3 * depth),
    };
    Placement { translate: fit.translate, arms_deg: fit.arms_deg, note: format!("{where_to}; {deep}") }
}

/// Refuses an opening (m) that is narrower than the part of the body (m) that it is for.
fn wide_enough(what: &str, around: f64, body: f64) -> Result<(), String> {
    if around >= TOO_NARROW * body {
        return Ok(());
    }
    let scale = (20.0 * body / around).ceil() / 20.0;
    Err(format!(
        "its {what} opening, {around:.2} m around, is too narrow for {body:.2} m; --scale {scale} would fit"
    ))
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
mod tests {
    use super::*;
    use cloth_geom::fixtures::{SkirtShape, TshirtShape, skirt, tshirt};
    use nalgebra::Point3;

    fn placed(mesh: &TriMesh) -> Result<Placement, String> {
        on_figure(mesh, FigureSize::new(None, None))
    }

    #[test]
    fn dresses_the_figure_in_a_shirt_from_anywhere() {
        let shirt = tshirt(TshirtShape::default()).unwrap().translated(Vector3::new(3.0, -7.0, 2.0));
        let found = placed(&shirt).unwrap();
        assert!(
            found.note.contains("shoulders") && found.note.contains("nothing starts inside"),
            "{}",
            found.note
        );
        let off = found.translate - Vector3::new(-3.0, 7.0, -2.0);
        assert!(off.norm() < 0.08, "{off}");
        // The shirt is cut for arms at 40 degrees.
        assert!((found.arms_deg - 40.0).abs() < 12.0, "{}", found.arms_deg);
    }

    #[test]
    fn puts_a_skirt_where_the_trunk_is_as_wide_as_its_waist() {
        let of = |radius: f64| {
            let shape =
                SkirtShape { waist_radius: radius, hem_radius: 0.4, length: 0.5, around: 60, along: 12 };
            let skirt = skirt(shape).unwrap();
            let top = skirt.bounds().max.y;
            placed(&skirt).map(|p| (top + p.translate.y, p.note))
        };
        let (tight, note) = of(0.135).unwrap();
        assert!(tight > 1.0 && tight < 1.17 && note.contains("waist"), "{tight} {note}");
        let (hip, note) = of(0.15).unwrap();
        assert!(hip > 0.88 && hip < tight && !note.contains("wider"), "{hip} {note}");
        let (_, note) = of(0.19).unwrap();
        assert!(note.contains("wider than the hips"), "{note}");
        let text = of(0.09).unwrap_err();
        assert!(text.contains("--scale 1.45"), "{text}");
    }

    #[test]
    fn does_not_dress_it_in_what_is_too_small_or_closed_or_lies() {
        let shirt = tshirt(TshirtShape::default()).unwrap().scaled(0.4);
        assert!(placed(&shirt).unwrap_err().contains("too narrow"));
        let ball = cloth_geom::fixtures::icosphere(2, 0.5).unwrap();
        assert!(placed(&ball).unwrap_err().contains("no opening"));
        let sheet = cloth_geom::fixtures::sheet(4, 4, [1.8, 1.8]).unwrap().mesh;
        assert!(placed(&sheet).unwrap_err().contains("flat"));
    }

    #[test]
    fn does_not_dress_it_in_what_it_would_pierce() {
        // A skirt of three faces around: the trunk fits between its vertices and not between its faces.
        let shape = SkirtShape { waist_radius: 0.2, hem_radius: 0.45, length: 0.5, around: 3, along: 1 };
        let Ok(mut coarse) = skirt(shape) else { return };
        for p in coarse.positions.iter_mut() {
            *p = Point3::new(p.x, p.y, 0.02 * p.z);
        }
        assert!(placed(&coarse).is_err());
    }

    #[test]
    fn puts_a_hat_on_the_head() {
        let dome = cloth_geom::fixtures::icosphere(3, 0.13).unwrap();
        let keep = |f: &&[u32; 3]| f.iter().all(|&v| dome.positions[v as usize].y > -0.04);
        let faces: Vec<[u32; 3]> = dome.faces.iter().filter(keep).copied().collect();
        let placed = placed(&TriMesh::new(dome.positions.clone(), faces)).unwrap();
        assert!(placed.note.contains("on the head"), "{}", placed.note);
        let off = placed.translate - Vector3::y() * 1.65;
        assert!(off.x.abs() < 0.01 && off.y.abs() < 0.06, "{off}");
    }

    #[test]
    fn lowers_a_box_on_the_middle_of_another() {
        let boxed = |min: [f64; 3], max: [f64; 3]| Aabb { min: min.into(), max: max.into() };
        let t = above(&boxed([0.0, 5.0, 0.0], [2.0, 6.0, 2.0]), &boxed([-1.0; 3], [1.0, 3.0, 1.0]), 0.1);
        assert!((t - Vector3::new(-1.0, -1.9, -1.0)).norm() < 1e-12, "{t}");
    }
}
