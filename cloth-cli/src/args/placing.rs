//! The arguments of `cloth simulate` that say where a garment starts, how large it is, and at which folds it
//! rests.

use clap::{Args, ValueEnum};
use cloth_scene::{BendRest, Placing};

use super::number::{positive, triple};

/// Where a garment starts.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Placing, instead of a scene")]
pub(crate) struct PlacingArgs {
    /// Place the garment at the position in its file, or above the body; asis by default with a mesh body, a
    /// character or the figure, and above with a sphere or without a body.
    #[arg(long, value_enum, conflicts_with = "scene")]
    pub(crate) place: Option<PlaceChoice>,
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
    pub(crate) rotate: Vec<AxisRotation>,
    /// Scale the garment by this factor, in addition to --unit; 1 by default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive,
          conflicts_with = "scene")]
    pub(crate) scale: Option<f64>,
    /// Set the rest fold angles: those of the rest shape, so that folds stay, or flat; start by default.
    #[arg(long, value_enum, conflicts_with = "scene")]
    pub(crate) bend_rest: Option<BendRestChoice>,
}

/// A rotation about an axis of the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisRotation {
    /// The axis.
    pub(crate) axis: [f64; 3],
    /// The angle.
    pub(crate) degrees: f64,
}

/// An axis and an angle, such as `x,90`.
fn turn(word: &str) -> Result<AxisRotation, String> {
    let parsed = word.split_once(',').and_then(|(axis, degrees)| {
        let axis = match axis.trim() {
            "x" | "X" => [1.0, 0.0, 0.0],
            "y" | "Y" => [0.0, 1.0, 0.0],
            "z" | "Z" => [0.0, 0.0, 1.0],
            _ => return None,
        };
        let degrees = degrees.trim().parse().ok().filter(|d: &f64| d.is_finite())?;
        Some(AxisRotation { axis, degrees })
    });
    parsed.ok_or_else(|| "must be x, y or z and an angle in degrees, such as x,90".to_owned())
}

/// Where a garment starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlaceChoice {
    /// Where its file has it.
    Asis,
    /// Above the body.
    Above,
}

/// The fold angles without tension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BendRestChoice {
    /// Those of the rest shape.
    Start,
    /// None.
    Flat,
}

impl PlacingArgs {
    /// Where the garment starts, if that is given.
    pub(crate) fn place(&self) -> Option<Placing> {
        self.place.map(|choice| match choice {
            PlaceChoice::Asis => Placing::AsIs,
            PlaceChoice::Above => Placing::Above,
        })
    }

    /// The fold angles that are asked for.
    pub(crate) fn bend_rest(&self) -> Option<BendRest> {
        self.bend_rest.map(|choice| match choice {
            BendRestChoice::Start => BendRest::Start,
            BendRestChoice::Flat => BendRest::Flat,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_an_axis_and_an_angle() {
        assert_eq!(turn("x,90"), Ok(AxisRotation { axis: [1.0, 0.0, 0.0], degrees: 90.0 }));
        assert_eq!(turn("Z, -4.5"), Ok(AxisRotation { axis: [0.0, 0.0, 1.0], degrees: -4.5 }));
        for word in ["", "x", "w,9", "x,", "x,nan", "x,inf", "90,x", "1,2,3", "x,1,2"] {
            assert!(turn(word).unwrap_err().contains("such as x,90"), "{word}");
        }
    }
}
