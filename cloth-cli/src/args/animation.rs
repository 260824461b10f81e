//! The arguments of `cloth simulate` that animate a body, and pin the garment.

use std::path::PathBuf;

use clap::Args;
use cloth_scene::{Pin, PinPlace, VertexAnimation};

use super::number::{non_negative, positive, triple};

/// How the body moves, and where the garment is pinned.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Animation and pins, instead of a scene")]
pub(crate) struct AnimationArgs {
    /// Animate the vertices of the body's mesh by a point cache (PC2, MDD, USD, NPY, NPZ) or an OBJ sequence:
    /// its folder, its first file, or 'name_*.obj'.
    ///
    /// It has the unit, axes and order of vertices of the body's file. Between frames vertices move straight;
    /// before the first frame and after the last the body stands still.
    #[arg(long, value_name = "SEQ", requires = "body", conflicts_with = "scene")]
    pub(crate) body_motion: Option<PathBuf>,
    /// Frames a second of --body-motion; by default what the file says (MDD), or else 30.
    #[arg(long, value_name = "HZ", allow_negative_numbers = true, value_parser = positive,
          requires = "body_motion")]
    pub(crate) body_motion_fps: Option<f64>,
    /// Time at which --body-motion starts (s), so that the garment comes to rest before; 0 by default.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = non_negative,
          requires = "body_motion")]
    pub(crate) body_motion_start: Option<f64>,
    /// Pin vertices: the number of one in the garment's file, from 0, or the one nearest to a point X,Y,Z (m;
    /// y up) after placing; may be repeated.
    ///
    /// `loop:X,Y,Z` pins the boundary loop nearest to a point, `group:NAME` the vertices of a group (`g`,
    /// `o`) or a material (`usemtl`) of the file, and `file:PATH` those whose numbers a text file lists.
    #[arg(long, value_name = "PIN", allow_hyphen_values = true, value_parser = pin, conflicts_with = "scene")]
    pub(crate) pin: Vec<PinPlace>,
}

/// A vertex, a point, or a word that says what follows it.
fn pin(word: &str) -> Result<PinPlace, String> {
    match word.split_once(':') {
        Some(("loop", point)) => return triple(point).map(|near| PinPlace::Loop { near }),
        Some(("group", name)) if !name.is_empty() => return Ok(PinPlace::Group(name.to_owned())),
        Some(("file", path)) if !path.is_empty() => return Ok(PinPlace::File(path.into())),
        _ => {}
    }
    let vertex = word.parse().map(PinPlace::Vertex);
    let nearest = || triple(word).map(|nearest| PinPlace::Nearest { nearest });
    vertex.or_else(|_| nearest()).map_err(|_| {
        "must be the number of a vertex, a point such as 0,1.5,0, loop:X,Y,Z, group:NAME or file:PATH"
            .to_owned()
    })
}

impl AnimationArgs {
    /// The animation of the body, if there is one.
    pub(crate) fn of_body(&self) -> Option<VertexAnimation> {
        let path = self.body_motion.clone()?;
        Some(VertexAnimation {
            path,
            fps: self.body_motion_fps,
            start: self.body_motion_start.unwrap_or(0.0),
        })
    }

    /// The pins.
    pub(crate) fn pins(&self) -> Vec<Pin> {
        self.pin.iter().cloned().map(Pin::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_given_by_vertex_point_loop_group_or_file() {
        assert_eq!(pin("12"), Ok(PinPlace::Vertex(12)));
        assert_eq!(pin("0,-1.5,2"), Ok(PinPlace::Nearest { nearest: [0.0, -1.5, 2.0] }));
        assert_eq!(pin("loop:0,1,0"), Ok(PinPlace::Loop { near: [0.0, 1.0, 0.0] }));
        assert_eq!(pin("group:a:b"), Ok(PinPlace::Group("a:b".into())));
        assert_eq!(pin("file:C:/pins.txt"), Ok(PinPlace::File("C:/pins.txt".into())));
        for word in ["", "-1", "1.5", "1,2", "a", "loop:", "loop:1,2", "group:", "file:", "x:1"] {
            assert!(pin(word).unwrap_err().contains("such as 0,1.5,0"), "{word}");
        }
    }
}
