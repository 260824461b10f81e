//! Where a garment starts on a character: its unit and axis from the bounding boxes of both, and its place.

use cloth_geom::{Aabb, TriMesh};
use cloth_io::scene::{Garment, Placing, Up};
use nalgebra::{Point3, Vector3};

use super::character::AnimatedCharacter;
use super::garment::upright;
use super::placement::{FigureSize, above, drop_height, on_figure};
use super::skin::SkinObserver;

/// Units (m) that garments are modelled in.
const UNITS: [f64; 4] = [1.0, 0.1, 0.01, 0.001];

/// The longest side of a garment relative to the height of who wears it: from a sock to a gown with a train.
const SIZES: [f64; 2] = [0.08, 1.6];

/// A garment is on the character if the middle of its box is in the character's box, which is enlarged by this part of the height.
const REACH: f64 = 0.05;

/// Chooses the unit and the axis of a garment's file where they are not given; says what was chosen.
///
/// `mesh` is as in the file. A unit is kept if it gives the garment a size that the character can wear; the axis is z if the garment is on
/// the character with z up and is not with y up.
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

/// How a garment (m, y up) is moved onto a character in its bind pose, and what was decided. The error is a sentence.
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
        Placing::Auto if is_on(&bounds, &skin) && is_clear(garment, character)? => Ok((
            Vector3::zeros(),
            "placed as in its file, where it is on the character and clear of it".to_owned(),
        )),
        Placing::Auto => Ok(by_openings(garment, &skin)),
    }
}

/// Whether a garment has no point in common with the skin in its present pose.
fn is_clear(garment: &TriMesh, character: &AnimatedCharacter) -> Result<bool, String> {
    let cloth: Vec<Point3<f32>> = garment.positions.iter().map(|p| p.map(|c| c as f32)).collect();
    let mut observer = SkinObserver::new(garment.faces.clone(), cloth.len(), character)?;
    Ok(observer.observe(&cloth, character.positions())?.intersections == 0)
}

/// By its openings, as on the figure of the same height, which stands where the character stands.
fn by_openings(garment: &TriMesh, character: &Aabb) -> (Vector3<f64>, String) {
    let height = character.max.y - character.min.y;
    let middle = nalgebra::center(&character.min, &character.max);
    let stand = Vector3::new(middle.x, character.min.y, middle.z);
    match on_figure(garment, FigureSize::new(Some(height), None)) {
        Ok(found) => (found.translate + stand, format!("as on a figure of {height:.2} m: {}", found.note)),
        Err(why) => (
            Vector3::zeros(),
            format!("placed as in its file: it fits no part of the character: {why}; --translate moves it"),
        ),
    }
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
