//! Whether a mesh has the size of something made of cloth, and which unit its file is in if it has not.

use cloth_geom::Aabb;

/// What cloth is long at least and at most (m): a doll's sock, a curtain. Beyond them a unit is wrong, most
/// likely.
pub const CLOTH: [f64; 2] = [0.05, 6.0];

/// The same of a garment that is to be simulated.
pub const GARMENT: [f64; 2] = [0.1, 3.0];

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

/// A hint in one line if a mesh of this size is too small or too large for cloth of these lengths (m); none
/// if it is not.
///
/// `unit` is metres in a unit of the file, as taken until now, and `option` is what says another, such as
/// `--unit`.
pub fn unit_hint(bounds: &Aabb, [least, most]: [f64; 2], unit: f64, option: Option<&str>) -> Option<String> {
    let longest = (bounds.max - bounds.min).max();
    if !longest.is_finite() || longest <= 0.0 || (least..=most).contains(&longest) {
        return None;
    }
    let size = if longest > most { "large" } else { "small" };
    let in_file = longest / unit;
    let said = |metres: f64| option.map_or(String::new(), |option| format!(" ({option} {metres})"));
    let mut likely: Vec<(f64, String)> = UNITS
        .iter()
        .filter(|(_, metres, _)| (USUAL_GARMENTS[0]..=USUAL_GARMENTS[1]).contains(&(in_file * metres)))
        .map(|(name, metres, doubt)| {
            let length = in_file * metres;
            (
                (length / USUAL).ln().abs() + doubt,
                format!("in {name}{} it is {}", said(*metres), metres_of(length)),
            )
        })
        .collect();
    likely.sort_by(|a, b| a.0.total_cmp(&b.0));
    let likely: Vec<String> = likely.into_iter().take(2).map(|(_, text)| text).collect();
    let advice = if likely.is_empty() {
        let metres = 10f64.powf((USUAL / in_file).log10().round());
        match option {
            Some(option) => format!(
                "no usual unit makes it a garment; {option} {metres} makes it {}",
                metres_of(in_file * metres)
            ),
            None => "no usual unit makes it a garment".to_owned(),
        }
    } else {
        likely.join(", ")
    };
    Some(format!("{} long is {size} for cloth; is its unit right? {advice}", metres_of(longest)))
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
        unit_hint(&bounds, CLOTH, unit, Some("--unit"))
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
    fn has_nothing_to_say_of_what_has_no_size() {
        for longest in [0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(hint(longest, 1.0), None);
        }
    }
}
