//! Numbers on the command line: what is out of range is refused before anything runs.

/// A finite number above zero.
pub(super) fn positive(word: &str) -> Result<f64, String> {
    finite(word).and_then(|x| if x > 0.0 { Ok(x) } else { Err("must be greater than zero".to_owned()) })
}

/// A finite number from zero on.
pub(super) fn non_negative(word: &str) -> Result<f64, String> {
    finite(word).and_then(|x| if x >= 0.0 { Ok(x) } else { Err("must not be negative".to_owned()) })
}

fn finite(word: &str) -> Result<f64, String> {
    word.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| "must be a finite number".to_owned())
}

/// Width and height in pixels, such as `640x480`.
pub(super) fn size(word: &str) -> Result<[u16; 2], String> {
    let side = |s: &str| s.parse().ok().filter(|&n| (1..=MAX_SIDE).contains(&n));
    let sides = word.split_once('x').and_then(|(w, h)| Some([side(w)?, side(h)?]));
    sides.ok_or_else(|| format!("must be two sides from 1 to {MAX_SIDE}, such as 640x480"))
}

/// As the renderer has it.
const MAX_SIDE: u16 = cloth_verify::render::Resolution::MAX_SIDE as u16;
