//! Numbers on the command line: what is out of range is refused before anything runs.

/// A finite number above zero.
pub(super) fn positive(word: &str) -> Result<f64, String> {
    finite(word).and_then(|x| if x > 0.0 { Ok(x) } else { Err("must be greater than zero".to_owned()) })
}

/// A finite number from zero on.
pub(super) fn non_negative(word: &str) -> Result<f64, String> {
    finite(word).and_then(|x| if x >= 0.0 { Ok(x) } else { Err("must not be negative".to_owned()) })
}

/// An angle in degrees from straight down to level.
pub(super) fn quarter_turn(word: &str) -> Result<f64, String> {
    let in_range = |x: f64| if x <= 90.0 { Ok(x) } else { Err("must be from 0 to 90 degrees".to_owned()) };
    non_negative(word).and_then(in_range)
}

fn finite(word: &str) -> Result<f64, String> {
    word.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| "must be a finite number".to_owned())
}

/// Three finite numbers, such as `0,1.5,0`.
pub(super) fn triple(word: &str) -> Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = word.split(',').map(|part| finite(part.trim()).ok()).collect();
    let triple = numbers.and_then(|numbers| numbers.try_into().ok());
    triple.ok_or_else(|| "must be three finite numbers, such as 0,1.5,0".to_owned())
}

/// Width and height in pixels, such as `640x480`.
pub(super) fn size(word: &str) -> Result<[u16; 2], String> {
    let side = |s: &str| s.parse().ok().filter(|&n| (1..=MAX_SIDE).contains(&n));
    let sides = word.split_once('x').and_then(|(w, h)| Some([side(w)?, side(h)?]));
    sides.ok_or_else(|| format!("must be two sides from 1 to {MAX_SIDE}, such as 640x480"))
}

/// As the renderer has it, whether or not this build draws.
const MAX_SIDE: u16 = 4096;
#[cfg(feature = "pictures")]
const _: () = assert!(MAX_SIDE as usize == cloth_show::render::Resolution::MAX_SIDE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_numbers_are_three_and_numbers() {
        assert_eq!(triple("0,-1.5, 2e1"), Ok([0.0, -1.5, 20.0]));
        for word in ["", "1,2", "1,2,3,4", "1,,3", "a,b,c", "1,2,nan", "1,2,inf"] {
            assert!(triple(word).unwrap_err().contains("such as 0,1.5,0"), "{word}");
        }
    }
}
