//! The arguments of `cloth simulate` that say where a garment starts, how large it is, and at which folds it
//! rests.

use clap::Args;
use cloth_scene::{BendRest, Placing, Rotation};

use super::number::{positive, triple};
use super::words::{BEND_REST, PLACE, words};

/// Where a garment starts.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Placing, instead of a scene")]
pub(crate) struct PlacingArgs {
    /// Place the garment at the position in its file, or above the body; asis by default with a mesh body, a
    /// character or the figure, and above with a sphere or without a body.
    #[arg(long, value_parser = words(PLACE), conflicts_with = "scene")]
    pub(crate) place: Option<Placing>,
    /// Translate the garment by this vector (m; y up) after placement; 0,0,0 by default.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = triple,
          conflicts_with = "scene")]
    pub(crate) translate: Option<[f64; 3]>,
    /// Rotate the garment about an axis (x, y or z; y up) through its file's origin before placement; may be
    /// repeated.
    ///
    /// Degrees, counter-clockwise seen from the tip of the axis. Rotations are applied in order about fixed
    /// axes, so `--rotate x,A --rotate y,B --rotate z,C` are the XYZ Euler angles A, B, C of Blender and
    /// Maya.
    #[arg(long, value_name = "AXIS,DEG", allow_hyphen_values = true, value_parser = turn,
          conflicts_with = "scene")]
    pub(crate) rotate: Vec<Rotation>,
    /// Scale the garment by this factor, in addition to --unit; 1 by default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive,
          conflicts_with = "scene")]
    pub(crate) scale: Option<f64>,
    /// Set the rest fold angles: those of the rest shape, so that folds stay, or flat; start by default.
    #[arg(long, value_parser = words(BEND_REST), conflicts_with = "scene")]
    pub(crate) bend_rest: Option<BendRest>,
}

/// An axis and an angle, such as `x,90`.
fn turn(word: &str) -> Result<Rotation, String> {
    let parsed = word.split_once(',').and_then(|(axis, degrees)| {
        let axis = match axis.trim() {
            "x" | "X" => [1.0, 0.0, 0.0],
            "y" | "Y" => [0.0, 1.0, 0.0],
            "z" | "Z" => [0.0, 0.0, 1.0],
            _ => return None,
        };
        let degrees = degrees.trim().parse().ok().filter(|d: &f64| d.is_finite())?;
        Some(Rotation { axis, degrees })
    });
    parsed.ok_or_else(|| "must be x, y or z and an angle in degrees, such as x,90".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_an_axis_and_an_angle() {
        assert_eq!(turn("x,90"), Ok(Rotation { axis: [1.0, 0.0, 0.0], degrees: 90.0 }));
        assert_eq!(turn("Z, -4.5"), Ok(Rotation { axis: [0.0, 0.0, 1.0], degrees: -4.5 }));
        for word in ["", "x", "w,9", "x,", "x,nan", "x,inf", "90,x", "1,2,3", "x,1,2"] {
            assert!(turn(word).unwrap_err().contains("such as x,90"), "{word}");
        }
    }
}
