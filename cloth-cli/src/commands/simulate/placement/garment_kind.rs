//! What a garment is, by its openings, and so where on a body it is worn.
//!
//! ```text
//!      --neck--
//!    /          \          top: a pair of sleeves, an opening above it, one below
//!  sleeve   sleeve
//!    \__hem_____/
//!
//!                          a suit is a top that has trousers as well: a pair of legs below
//!      --waist--
//!     /         \          bottom: an opening above, one (hem) or a pair (legs) below
//!    /___hem_____\
//!
//!       ____
//!     _/    \_             hat: one opening, and the cloth above it
//!      brim
//! ```

use cloth_geom::Aabb;
use nalgebra::Vector3;

use super::openings::Opening;

/// How a garment is worn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GarmentKind<'a> {
    /// Shirts, dresses and suits: the neck goes through `neck`, the arms through `sleeves` (towards +x,
    /// towards -x), and the legs of a suit through `legs`.
    Top { neck: &'a Opening, sleeves: Pair<'a>, legs: Option<Pair<'a>> },
    /// Skirts and trousers: `waist` is around the waist, and trousers have `legs`.
    Bottom { waist: &'a Opening, legs: Option<Pair<'a>> },
    /// `brim` is around the head, or above it.
    Hat { brim: &'a Opening },
}

/// A pair of openings, the one towards +x first.
pub(super) type Pair<'a> = [&'a Opening; 2];

/// Two openings are a pair if their middles are this much of the garment's width apart, or more.
const PAIR_APART: f64 = 0.15;
/// How far their middle may be off the garment's, and one above the other, as a part of their distance.
const PAIR_ASKEW: f64 = 0.3;
/// How many times as long as the other one of them may be.
const PAIR_RATIO: f64 = 1.5;
/// How far off the garment's middle an opening for neck, waist or hem may be, as a part of its width.
const CENTRAL: f64 = 0.15;
/// A bottom is at least this much of its height long from waist to hem; a hat rises this much of its brim's
/// diameter.
const UPRIGHT: f64 = 0.3;

/// How a garment with these openings, from the highest to the lowest, is worn; or else in words why it is on
/// no part of a body.
pub(super) fn classify<'a>(openings: &'a [Opening], bounds: &Aabb) -> Result<GarmentKind<'a>, String> {
    let size = bounds.max - bounds.min;
    if size.y < 0.05 * size.max() {
        return Err("it lies flat".to_owned());
    }
    if let Some(top) = top(openings, bounds) {
        return Ok(top);
    }
    match openings {
        [] => Err("it has no opening".to_owned()),
        [brim] => {
            hat(brim, bounds).ok_or_else(|| "its one opening is not below it, as that of a hat".to_owned())
        }
        [waist, .., lowest] => {
            let is_upright = waist.middle.y - lowest.middle.y >= UPRIGHT * size.y;
            if is_upright && is_central(waist, bounds) && waist.middle.y > bounds.max.y - UPRIGHT * size.y {
                return Ok(GarmentKind::Bottom { waist, legs: legs(openings, waist.middle.y, bounds) });
            }
            let text =
                "its openings are not those of a shirt, a skirt, trousers or a hat that stands upright";
            Err(format!("{text}; turn it with --rotate if it does not"))
        }
    }
}

fn top<'a>(openings: &'a [Opening], bounds: &Aabb) -> Option<GarmentKind<'a>> {
    pairs(openings, bounds).find_map(|[a, b]| {
        let central = || {
            openings.iter().filter(|o| !std::ptr::eq(*o, a) && !std::ptr::eq(*o, b) && is_central(o, bounds))
        };
        let neck = central().find(|o| o.middle.y > a.middle.y.max(b.middle.y))?;
        let hem = central().find(|o| o.middle.y < a.middle.y.min(b.middle.y))?;
        Some(GarmentKind::Top { neck, sleeves: [a, b], legs: legs(openings, hem.middle.y, bounds) })
    })
}

/// The pair of openings below a height (m), if there is one.
fn legs<'a>(openings: &'a [Opening], below: f64, bounds: &Aabb) -> Option<Pair<'a>> {
    pairs(openings, bounds).find(|pair| pair.iter().all(|opening| opening.middle.y < below))
}

/// All pairs of openings, the highest first.
fn pairs<'a>(openings: &'a [Opening], bounds: &Aabb) -> impl Iterator<Item = Pair<'a>> {
    let pairs = openings.iter().enumerate().flat_map(|(i, a)| openings[i + 1..].iter().map(move |b| [a, b]));
    let pairs = pairs.filter(|pair| is_pair(*pair, bounds));
    pairs.map(|[a, b]| if a.middle.x > b.middle.x { [a, b] } else { [b, a] })
}

fn hat<'a>(brim: &'a Opening, bounds: &Aabb) -> Option<GarmentKind<'a>> {
    let rise = bounds.max.y - brim.middle.y;
    let diameter = brim.around / std::f64::consts::PI;
    (rise >= UPRIGHT * diameter && brim.middle.y < nalgebra::center(&bounds.min, &bounds.max).y)
        .then_some(GarmentKind::Hat { brim })
}

fn is_pair([a, b]: [&Opening; 2], bounds: &Aabb) -> bool {
    let middle = nalgebra::center(&bounds.min, &bounds.max);
    let apart = (a.middle.x - b.middle.x).abs();
    let between: Vector3<f64> = nalgebra::center(&a.middle, &b.middle) - middle;
    let ratio = a.around.max(b.around) / a.around.min(b.around);
    apart >= PAIR_APART * (bounds.max.x - bounds.min.x)
        && between.x.abs() <= PAIR_ASKEW * apart
        && (a.middle.y - b.middle.y).abs() <= PAIR_ASKEW * apart
        && ratio <= PAIR_RATIO
}

fn is_central(opening: &Opening, bounds: &Aabb) -> bool {
    let middle = nalgebra::center(&bounds.min, &bounds.max);
    (opening.middle.x - middle.x).abs() <= CENTRAL * (bounds.max.x - bounds.min.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn at(x: f64, y: f64, around: f64) -> Opening {
        Opening { middle: Point3::new(x, y, 0.0), around, ring: Vec::new() }
    }

    fn boxed(width: f64, low: f64, high: f64) -> Aabb {
        Aabb { min: Point3::new(-0.5 * width, low, -0.2), max: Point3::new(0.5 * width, high, 0.2) }
    }

    #[test]
    fn a_shirt_has_a_pair_of_openings_between_two_others() {
        let shirt = [at(0.0, 1.5, 0.6), at(-0.4, 1.3, 0.4), at(0.4, 1.28, 0.42), at(0.01, 0.9, 1.2)];
        let found = classify(&shirt, &boxed(0.9, 0.9, 1.5)).unwrap();
        assert_eq!(found, GarmentKind::Top { neck: &shirt[0], sleeves: [&shirt[2], &shirt[1]], legs: None });
    }

    #[test]
    fn skirts_and_trousers_have_a_waist_above_all_else() {
        let skirt = [at(0.0, 1.0, 0.8), at(0.0, 0.5, 2.0)];
        assert_eq!(
            classify(&skirt, &boxed(0.7, 0.5, 1.0)),
            Ok(GarmentKind::Bottom { waist: &skirt[0], legs: None })
        );
        let trousers = [at(0.0, 1.0, 0.8), at(-0.1, 0.1, 0.4), at(0.1, 0.1, 0.4)];
        assert_eq!(
            classify(&trousers, &boxed(0.5, 0.1, 1.0)),
            Ok(GarmentKind::Bottom { waist: &trousers[0], legs: Some([&trousers[2], &trousers[1]]) })
        );
    }

    #[test]
    fn a_suit_has_sleeves_and_legs() {
        let suit = [
            at(0.0, 1.5, 0.5),
            at(-0.3, 1.3, 0.4),
            at(0.3, 1.3, 0.4),
            at(0.0, 0.95, 0.9),
            at(0.0, 0.9, 1.0),
            at(-0.15, 0.1, 0.4),
            at(0.15, 0.1, 0.4),
        ];
        let found = classify(&suit, &boxed(0.7, 0.1, 1.5)).unwrap();
        let legs = Some([&suit[6], &suit[5]]);
        assert_eq!(found, GarmentKind::Top { neck: &suit[0], sleeves: [&suit[2], &suit[1]], legs });
    }

    #[test]
    fn a_hat_has_its_opening_below_and_a_sock_above() {
        let brim = [at(0.0, 0.02, 0.6)];
        assert_eq!(classify(&brim, &boxed(0.3, 0.0, 0.15)), Ok(GarmentKind::Hat { brim: &brim[0] }));
        let sock = [at(0.0, 0.3, 0.3)];
        assert!(classify(&sock, &boxed(0.1, 0.0, 0.3)).unwrap_err().contains("hat"));
    }

    #[test]
    fn what_lies_or_is_closed_is_worn_nowhere() {
        let tube = [at(-0.5, 0.0, 1.5), at(0.5, 0.0, 1.5)];
        assert!(classify(&tube, &boxed(1.0, -0.25, 0.25)).unwrap_err().contains("--rotate"));
        assert!(classify(&[], &boxed(1.0, 0.0, 1.0)).unwrap_err().contains("no opening"));
        assert!(classify(&[at(0.0, 0.0, 4.0)], &boxed(1.0, 0.0, 0.0)).unwrap_err().contains("flat"));
    }
}
