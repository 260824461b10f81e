//! Whether a mesh has the size of something made of cloth or of a body, and which unit its file is in if it
//! has not.

use cloth_geom::Aabb;

/// What cloth is long at least and at most (m): a doll's sock, a curtain. Beyond them a unit is wrong, most
/// likely.
pub const CLOTH: [f64; 2] = [0.05, 6.0];

/// The same of a garment that is to be simulated.
pub const GARMENT: [f64; 2] = [0.1, 3.0];

/// The same of a body that wears garments, or is covered: a doll's head, a car.
pub const BODY: [f64; 2] = [0.1, 10.0];

/// What is thinner than this part of its longest side is ground or a wall, which has any size.
const FLAT: f64 = 0.05;

/// Name, metres, and how much less likely than others (as a logarithm) a unit is in files of garments.
const UNITS: [(&str, f64, f64); 5] = [
    ("metres", 1.0, 0.0),
    ("centimetres", 0.01, 0.0),
    ("millimetres", 0.001, 0.0),
    ("inches", 0.0254, 0.4),
    ("decimetres", 0.1, 0.4),
];

/// The longest side (m) of a garment, as a rule, and how far others are from it.
const USUAL: f64 = 0.9;
const USUAL_GARMENTS: [f64; 2] = [0.15, 2.2];

/// The same of bodies: a person, and a child or a chair.
const USUAL_BODY: f64 = 1.7;
const USUAL_BODIES: [f64; 2] = [0.5, 2.5];

/// The option of a unit (m), such as `--unit 0.01`; none if that unit does not help.
pub type UnitOption<'a> = &'a mut dyn FnMut(f64) -> Option<String>;

/// A hint in one line if a mesh of this size is too small or too large for cloth of these lengths (m); none
/// if it is not.
///
/// `unit` is metres in a unit of the file, as taken until now. With `option`, only units for which it has one
/// are named.
pub fn unit_hint(
    bounds: &Aabb,
    limits: [f64; 2],
    unit: f64,
    mut option: Option<UnitOption<'_>>,
) -> Option<String> {
    let longest = longest(bounds).filter(|longest| !within(limits, *longest))?;
    let size = if longest > limits[1] { "large" } else { "small" };
    let in_file = longest / unit;
    let mut said = |metres: f64| match &mut option {
        None => Some(String::new()),
        Some(option) => option(metres).map(|option| format!(" ({option})")),
    };
    let units = likely_units(in_file, USUAL, USUAL_GARMENTS);
    let named = units.iter().filter_map(|(name, metres)| {
        said(*metres).map(|said| format!("in {name}{said} it is {}", metres_of(in_file * metres)))
    });
    let mut advice = named.take(2).collect::<Vec<_>>().join(", ");
    if units.is_empty() {
        advice = "no usual unit makes it a garment".to_owned();
        let metres = 10f64.powf((USUAL / in_file).log10().round());
        if let Some(option) = option.and_then(|option| option(metres)) {
            advice += &format!("; {option} makes it {}", metres_of(in_file * metres));
        }
    }
    let text = format!("{} long is {size} for cloth; is its unit right? {advice}", metres_of(longest));
    Some(text.trim_end().to_owned())
}

/// Whether nothing that wears cloth has this size, nor ground or a wall.
#[must_use]
pub fn is_odd_body(bounds: &Aabb) -> bool {
    let size = bounds.max - bounds.min;
    longest(bounds).is_some_and(|longest| !within(BODY, longest) && size.min() > FLAT * longest)
}

/// A hint in one line about a body of an odd size; arguments as of [`unit_hint`].
#[must_use]
pub fn body_hint(bounds: &Aabb, unit: f64, option: UnitOption<'_>) -> Option<String> {
    let longest = longest(bounds).filter(|_| is_odd_body(bounds))?;
    let in_file = longest / unit;
    let direction = if bounds.max.y - bounds.min.y == longest { "tall" } else { "long" };
    let question = format!("is {} {direction}; is its unit right?", metres_of(longest));
    let units = likely_units(in_file, USUAL_BODY, USUAL_BODIES);
    let named = units.iter().find_map(|(_, metres)| option(*metres).map(|option| (option, metres)));
    Some(match named {
        Some((option, metres)) => format!("{question} {option} makes it {}", metres_of(in_file * metres)),
        None => question,
    })
}

/// The most likely unit (m) of the file of a body of an odd size; none if its size is a body's, or none makes
/// it one. `unit` is that as taken until now.
#[must_use]
pub fn likely_body_unit(bounds: &Aabb, unit: f64) -> Option<f64> {
    let longest = longest(bounds).filter(|_| is_odd_body(bounds))?;
    likely_units(longest / unit, USUAL_BODY, USUAL_BODIES).first().map(|unit| unit.1)
}

/// Whether the longest side (m) is not between these lengths.
#[must_use]
pub fn is_odd(bounds: &Aabb, limits: [f64; 2]) -> bool {
    longest(bounds).is_some_and(|longest| !within(limits, longest))
}

/// The longest side (m) of a box that has one.
fn longest(bounds: &Aabb) -> Option<f64> {
    let longest = (bounds.max - bounds.min).max();
    (longest.is_finite() && longest > 0.0).then_some(longest)
}

fn within([least, most]: [f64; 2], length: f64) -> bool {
    (least..=most).contains(&length)
}

/// The units, and their metres, in which a length in a file is within a range (m), those first that bring it
/// nearest to what is usual.
fn likely_units(in_file: f64, usual: f64, range: [f64; 2]) -> Vec<(&'static str, f64)> {
    let likely = UNITS.iter().filter(|(_, metres, _)| within(range, in_file * metres));
    let doubt = |(_, metres, doubt): &(&str, f64, f64)| (in_file * metres / usual).ln().abs() + doubt;
    let mut likely: Vec<_> = likely.copied().collect();
    likely.sort_by(|a, b| doubt(a).total_cmp(&doubt(b)));
    likely.into_iter().map(|(name, metres, _)| (name, metres)).collect()
}

/// A length with three digits.
fn metres_of(length: f64) -> String {
    match length {
        l if !(1e-4..1e5).contains(&l) => format!("{l:.1e} m"),
        l if l >= 100.0 => format!("{l:.0} m"),
        l if l >= 10.0 => format!("{l:.1} m"),
        l if l >= 0.1 => format!("{l:.2} m"),
        l => format!("{:.2} mm", 1e3 * l),
    }
}

/// The size and position of a box, with three digits of its longest side and no fewer than three decimals.
pub fn in_words(bounds: &Aabb) -> String {
    let decimals = decimals_for(bounds, 3);
    let point = |p: &nalgebra::Point3<f64>| {
        // Adding zero turns -0 into 0.
        let [x, y, z] = [p.x, p.y, p.z].map(|c| format!("{:.decimals$}", c + 0.0));
        format!("({x}, {y}, {z})")
    };
    let size = sides(bounds, decimals);
    format!("{size} m, from {} to {}, if its unit is a metre", point(&bounds.min), point(&bounds.max))
}

/// The sides of a box, with `least` digits of the longest side and no fewer decimals.
pub fn size_in_words(bounds: &Aabb, least: usize) -> String {
    format!("{} m", sides(bounds, decimals_for(bounds, least)))
}

fn sides(bounds: &Aabb, decimals: usize) -> String {
    let size = bounds.max - bounds.min;
    format!("{:.decimals$} x {:.decimals$} x {:.decimals$}", size.x, size.y, size.z)
}

/// The number of decimals that gives the longest side `least` digits, from `least` to 12.
fn decimals_for(bounds: &Aabb, least: usize) -> usize {
    let longest = (bounds.max - bounds.min).max();
    let zeros = if longest > 0.0 && longest < 1.0 { -longest.log10().floor() as usize - 1 } else { 0 };
    (least + zeros).min(12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn sizes_keep_their_digits_at_any_scale() {
        let cube = |side: f64| Aabb { min: Point3::new(-0.0, 0.0, 0.0), max: Point3::new(side, side, 0.0) };
        assert_eq!(size_in_words(&cube(1.5), 2), "1.50 x 1.50 x 0.00 m");
        assert_eq!(size_in_words(&cube(0.0495), 2), "0.050 x 0.050 x 0.000 m");
        assert_eq!(size_in_words(&cube(0.0), 2), "0.00 x 0.00 x 0.00 m");
        let tiny = in_words(&cube(0.001_33));
        assert!(tiny.starts_with("0.00133 x 0.00133 x 0.00000 m, from (0.00000, 0.00000,"), "{tiny}");
        assert!(in_words(&cube(0.6)).starts_with("0.600 x 0.600 x 0.000 m"));
    }

    fn hint(longest: f64, unit: f64) -> Option<String> {
        let bounds =
            Aabb { min: Point3::origin(), max: Point3::new(0.3, longest, 0.2).map(|c| c.min(longest)) };
        unit_hint(&bounds, CLOTH, unit, Some(&mut |metres| Some(format!("--unit {metres}"))))
    }

    #[test]
    fn is_silent_about_the_size_of_cloth() {
        for longest in [0.05, 0.3, 1.3, 2.5, 6.0] {
            assert_eq!(hint(longest, 1.0), None, "{longest}");
        }
    }

    #[test]
    fn names_the_unit_that_makes_it_a_garment() {
        let first = |longest, unit| {
            let text = hint(longest, unit).unwrap();
            assert_eq!(text.lines().count(), 1);
            text.split("right? in ").nth(1).unwrap_or(&text).split(' ').next().unwrap().to_owned()
        };
        assert_eq!(first(65.0, 1.0), "centimetres");
        assert_eq!(first(1300.0, 1.0), "millimetres");
        assert_eq!(first(30.0, 1.0), "inches");
        assert_eq!(first(12.0, 1.0), "decimetres");
        // A file in metres that was taken for one in millimetres.
        assert_eq!(first(0.001, 0.001), "metres");
    }

    #[test]
    fn offers_a_factor_where_no_unit_is_likely() {
        let text = hint(0.001, 1.0).unwrap();
        assert!(
            text.contains("1.00 mm long is small") && text.contains("--unit 1000 makes it 1.00 m"),
            "{text}"
        );
        assert!(hint(1e9, 1.0).unwrap().contains("no usual unit"));
    }

    #[test]
    fn a_unit_that_does_not_help_is_not_named() {
        let bounds = Aabb { min: Point3::origin(), max: Point3::new(0.3, 65.0, 0.2) };
        let only = |good: f64| {
            let option = &mut |metres| (metres == good).then(|| format!("--unit {metres}"));
            unit_hint(&bounds, CLOTH, 1.0, Some(option)).unwrap()
        };
        assert_eq!(
            only(0.01),
            "65.0 m long is large for cloth; is its unit right? in centimetres (--unit 0.01) it is 0.65 m"
        );
        assert_eq!(only(7.0), "65.0 m long is large for cloth; is its unit right?");
    }

    #[test]
    fn a_body_is_a_person_or_a_car_or_ground() {
        let body = |size: [f64; 3]| Aabb { min: Point3::origin(), max: size.into() };
        for size in [[0.5, 1.75, 0.3], [0.2; 3], [4.5, 1.5, 1.8], [90.0, 0.1, 80.0], [f64::NAN; 3]] {
            assert!(!is_odd_body(&body(size)), "{size:?}");
        }
        let said = |size, good: f64| {
            body_hint(&body(size), 1.0, &mut |m| (m == good).then(|| format!("--body-unit {m}"))).unwrap()
        };
        let tall = [40.0, 150.0, 24.0];
        assert_eq!(said(tall, 0.01), "is 150 m tall; is its unit right? --body-unit 0.01 makes it 1.50 m");
        assert_eq!(said(tall, 3.0), "is 150 m tall; is its unit right?");
        assert!(said([40.0, 24.0, 150.0], 0.01).starts_with("is 150 m long;"));
        // A file in metres that was taken for one in centimetres.
        let small = Aabb { min: Point3::origin(), max: Point3::new(0.004, 0.0175, 0.003) };
        let hint = body_hint(&small, 0.01, &mut |metres| Some(format!("--body-unit {metres}"))).unwrap();
        assert_eq!(hint, "is 17.50 mm tall; is its unit right? --body-unit 1 makes it 1.75 m");
    }

    #[test]
    fn has_nothing_to_say_of_what_has_no_size() {
        for longest in [0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(hint(longest, 1.0), None);
        }
    }
}
