//! Where a garment starts on a character: its unit and axis from the bounding boxes of both, and its place.

use cloth_geom::{Aabb, TriMesh};
use cloth_io::scene::{Garment, Placing, Up};
use cloth_verify::invariants::{SkinDepths, SkinObserver};
use nalgebra::{Point3, Vector3};

use super::character::AnimatedCharacter;
use super::garment::upright;
use super::placement::{FigureSize, above, drop_height, on_figure};
use crate::console::counted;

/// Units (m) that garments are modelled in.
const UNITS: [f64; 4] = [1.0, 0.1, 0.01, 0.001];

/// The longest side of a garment relative to the height of who wears it: from a sock to a gown with a train.
const SIZES: [f64; 2] = [0.08, 1.6];

/// A garment is on the character if the middle of its box is in the character's box, which is enlarged by
/// this part of the height.
const REACH: f64 = 0.05;

/// How far a garment is moved from where its openings place it, relative to the height.
const IMPROVEMENT: f64 = 0.08;

/// Steps that are tried in each direction, and rounds, each with a step for a range.
const STEPS: usize = 5;
const ROUNDS: usize = 2;

/// Chooses the unit and the axis of a garment's file where they are not given; says what was chosen.
///
/// `mesh` is as in the file. A unit is kept if it gives the garment a size that the character can wear; the
/// axis is z if the garment is on the character with z up and is not with y up.
pub(super) fn fit_file(
    garment: &mut Garment,
    mesh: &TriMesh,
    character: &Aabb,
    [unit_is_given, axis_is_given]: [bool; 2],
) -> Option<String> {
    let height = character.max.y - character.min.y;
    let size = |unit: f64| {
        let bounds = mesh.bounds();
        (bounds.max - bounds.min).max() * unit * garment.scale / height
    };
    let fits = |unit: &f64| (SIZES[0]..=SIZES[1]).contains(&size(*unit));
    let mut said = Vec::new();
    if let Some(unit) = UNITS.into_iter().find(fits).filter(|_| !unit_is_given) {
        garment.unit = Some(unit);
        if unit != 1.0 {
            said.push(format!("unit {unit} m"));
        }
    }
    let unit = garment.metres_per_unit();
    let is_on = |up: Up| is_on(&mesh.clone().mapped(|p| upright(up, &p) * unit).bounds(), character);
    if !axis_is_given && !is_on(Up::Y) && is_on(Up::Z) {
        garment.up = Up::Z;
        said.push("z up".to_owned());
    }
    (!said.is_empty()).then(|| {
        format!(
            "fitted to the character's height of {height:.2} m: {}; --unit and --up override",
            said.join(", ")
        )
    })
}

/// How a garment (m, y up) is moved onto a character in its bind pose, and what was decided. The error is a
/// sentence.
pub(super) fn place(
    garment: &TriMesh,
    character: &AnimatedCharacter,
    place: Placing,
) -> Result<(Vector3<f64>, String), String> {
    let (bounds, skin) = (garment.bounds(), character.bounds());
    match place {
        Placing::AsIs => Ok((Vector3::zeros(), "placed as in its file".to_owned())),
        Placing::Above => {
            Ok((above(&bounds, &skin, drop_height(&bounds)), "placed above the character".to_owned()))
        }
        Placing::Auto => {
            let mut fitting = Fitting::new(garment, character)?;
            if is_on(&bounds, &skin) && fitting.intersections(&Vector3::zeros())? == 0 {
                let note = "placed as in its file, where it is on the character and clear of it";
                return Ok((Vector3::zeros(), note.to_owned()));
            }
            match by_openings(garment, &skin) {
                Ok((place, note)) => fitting.improve(place, note),
                Err(why) => {
                    let note = format!(
                        "placed as in its file: it fits no part of the character: {why}; --translate moves it"
                    );
                    Ok((Vector3::zeros(), note))
                }
            }
        }
    }
}

/// A garment that is tried on.
struct Fitting<'a> {
    garment: &'a TriMesh,
    character: &'a AnimatedCharacter,
    observer: SkinObserver,
    depths: Option<SkinDepths>,
}

impl<'a> Fitting<'a> {
    fn new(garment: &'a TriMesh, character: &'a AnimatedCharacter) -> Result<Self, String> {
        let skin = character.skin_faces();
        let observer = SkinObserver::new(garment.faces.clone(), garment.positions.len(), skin);
        let observer = observer.map_err(|e| e.to_string())?;
        let depths = SkinDepths::new(skin.all, character.positions());
        Ok(Self { garment, character, observer, depths })
    }

    /// The vertices of the garment if it is moved by this much (m).
    fn moved(&self, translate: &Vector3<f64>) -> impl Iterator<Item = Point3<f32>> {
        self.garment.positions.iter().map(move |p| (p + translate).map(|c| c as f32))
    }

    /// Intersections of the garment with the skin in its present pose, if it is moved by this much (m).
    fn intersections(&mut self, translate: &Vector3<f64>) -> Result<usize, String> {
        let cloth: Vec<Point3<f32>> = self.moved(translate).collect();
        let found = self.observer.intersect(&cloth, self.character.positions());
        Ok(found.map_err(|e| e.to_string())?.intersections)
    }

    /// Sum (m) of the depths of its vertices below the skin.
    fn sum_of_depths(&self, translate: &Vector3<f64>) -> f64 {
        let depth = |p: Point3<f32>| self.depths.as_ref().map_or(0.0, |depths| depths.depth(&p));
        self.moved(translate).map(|p| f64::from(depth(p))).sum()
    }

    /// Moves a garment up, down, to the front or to the back from its place, to where it is least inside the
    /// skin: shoulders and chest of the character are not those of the figure. Intersections would not do as
    /// a measure: a shirt whose shoulders are in the chest has fewer than one that rests on the shoulders.
    ///
    /// A search along one axis after the other, with steps that become smaller; among equal places the
    /// nearest is kept.
    fn improve(&mut self, place: Vector3<f64>, note: String) -> Result<(Vector3<f64>, String), String> {
        let bounds = self.character.bounds();
        let reach = IMPROVEMENT * (bounds.max.y - bounds.min.y);
        let (mut best, mut least) = (place, self.sum_of_depths(&place));
        let mut range = reach;
        for _ in 0..ROUNDS {
            let step = range / STEPS as f64;
            for axis in [1, 2] {
                let middle = best;
                for k in (1..=STEPS).flat_map(|k| [k as f64, -(k as f64)]) {
                    let mut tried = middle;
                    tried[axis] += k * step;
                    if least == 0.0 || (tried - place).amax() > reach {
                        continue;
                    }
                    let sum = self.sum_of_depths(&tried);
                    if sum < least {
                        (best, least) = (tried, sum);
                    }
                }
            }
            range = step;
        }
        if best == place {
            return Ok((place, note));
        }
        let found = self.intersections(&best)?;
        let note = format!(
            "{note}; from there {}, where it is least inside the skin ({} of edges and faces)",
            in_words(&(best - place)),
            counted(found, "intersection")
        );
        Ok((best, note))
    }
}

/// A move (m) up or down, forward or back.
fn in_words(by: &Vector3<f64>) -> String {
    let direction = |length: f64, [positive, negative]: [&str; 2]| {
        let word = if length > 0.0 { positive } else { negative };
        (length != 0.0).then(|| format!("{:.0} mm {word}", 1e3 * length.abs()))
    };
    let words = [direction(by.y, ["up", "down"]), direction(by.z, ["forward", "back"])];
    words.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// By its openings, as on the figure of the same height, which stands where the character stands.
fn by_openings(garment: &TriMesh, character: &Aabb) -> Result<(Vector3<f64>, String), String> {
    let height = character.max.y - character.min.y;
    let middle = nalgebra::center(&character.min, &character.max);
    let stand = Vector3::new(middle.x, character.min.y, middle.z);
    let found = on_figure(garment, FigureSize::new(Some(height), None))?;
    Ok((found.translate + stand, format!("as on a figure of {height:.2} m: {}", found.note)))
}

fn is_on(garment: &Aabb, character: &Aabb) -> bool {
    let reach = REACH * (character.max.y - character.min.y);
    let middle = nalgebra::center(&garment.min, &garment.max);
    (0..3).all(|k| (character.min[k] - reach..=character.max[k] + reach).contains(&middle[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(min: [f64; 3], max: [f64; 3]) -> TriMesh {
        let [a, b] = [Point3::from(min), Point3::from(max)];
        TriMesh::new(vec![a, b, Point3::new(a.x, b.y, a.z)], vec![[0, 1, 2]])
    }

    fn garment() -> Garment {
        toml::from_str("mesh = \"a.obj\"").unwrap()
    }

    #[test]
    fn unit_and_axis_come_from_both_boxes() {
        let person = boxed([-0.8, 0.0, -0.2], [0.8, 1.7, 0.2]).bounds();
        let mut fitted = garment();
        let shirt = boxed([-4.0, 10.0, -1.0], [4.0, 14.0, 1.0]);
        let note = fit_file(&mut fitted, &shirt, &person, [false; 2]).unwrap();
        assert_eq!((fitted.unit, fitted.up), (Some(0.1), Up::Y));
        assert!(note.contains("unit 0.1 m") && !note.contains("z up"), "{note}");
        let mut fitted = garment();
        let upright = boxed([-40.0, -10.0, 100.0], [40.0, 10.0, 140.0]);
        assert!(fit_file(&mut fitted, &upright, &person, [false; 2]).unwrap().contains("z up"));
        assert_eq!((fitted.unit, fitted.up), (Some(0.01), Up::Z));
        let mut given = Garment { unit: Some(1.0), ..garment() };
        assert_eq!(fit_file(&mut given, &shirt, &person, [true; 2]), None);
        assert_eq!(given.unit, Some(1.0));
        let mut metres = garment();
        assert_eq!(
            fit_file(&mut metres, &boxed([-0.3, 1.0, -0.1], [0.3, 1.4, 0.1]), &person, [false; 2]),
            None
        );
    }
}
