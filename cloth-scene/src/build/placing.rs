//! Where a garment starts relative to the bodies, and what is doubtful about its size and position.

use cloth_geom::{Aabb, TriMesh};
use nalgebra::{Point3, Vector3};

use super::bodies::Bodies;
use super::garment::place;
use crate::units::{GARMENT, size_in_words, unit_hint};
use crate::{Garment, Placing, Rotation, Scene, SceneSource, Shape, Up};

/// The bodies, as far as the start of a garment depends on them.
pub(crate) struct Stage {
    /// The box (m) of all bodies that have an end, at time 0; none if there is none.
    bodies: Option<Aabb>,
    /// Whether a garment that keeps its position is expected to be on them: flags name one body for one
    /// garment; in a scene file garments are worn by a figure or a character, and may hang beside the rest.
    is_worn: bool,
    /// Whether `--up` turns a body as well.
    has_mesh: bool,
}

impl Stage {
    pub(crate) fn new(scene: &Scene, bodies: &Bodies, source: &SceneSource) -> Self {
        let has = |is: fn(&Shape) -> bool| scene.bodies.iter().any(|body| is(&body.shape));
        let is_worn = matches!(source, SceneSource::Flags(_))
            || scene.character.is_some()
            || has(|shape| matches!(shape, Shape::Figure { .. }));
        let has_mesh = has(|shape| matches!(shape, Shape::Mesh { .. }));
        Self { bodies: bodies.bounds(), is_worn, has_mesh }
    }

    /// A garment as it starts: its `translate` includes what its `place` asks for. `file` is its mesh as in
    /// the file.
    pub(crate) fn place(&self, garment: &Garment, file: &TriMesh) -> Garment {
        let mut placed = garment.clone();
        if garment.place == Placing::Above {
            let still = Garment { translate: [0.0; 3], ..garment.clone() };
            let bounds = file.clone().mapped(|p| place(&still, &p)).face_bounds();
            let origin = Aabb { min: Point3::origin(), max: Point3::origin() };
            let translate = above(&bounds, &self.bodies.unwrap_or(origin));
            placed.translate = (translate + Vector3::from(garment.translate)).into();
        }
        placed
    }

    /// What is to be said of a garment that starts in these bounds (m).
    pub(crate) fn notes(&self, garment: &Garment, bounds: &Aabb, source: &SceneSource) -> Vec<String> {
        let mut notes = Vec::new();
        if garment.place == Placing::Above {
            let below = if self.bodies.is_some() { "the bodies" } else { "the origin" };
            notes.push(format!("placed above {below}"));
        }
        notes.extend(self.doubt(garment, bounds, source));
        notes
    }

    /// What is wrong with the size or the position of a garment, most likely, and what would help.
    fn doubt(&self, garment: &Garment, bounds: &Aabb, source: &SceneSource) -> Option<String> {
        let bodies = self.bodies.filter(|_| self.is_worn);
        let option = if garment.unit.is_some() { source.unit_option() } else { "scale =" };
        if let Some(hint) = unit_hint(bounds, GARMENT, garment.file_unit(), Some(option)) {
            let beside = bodies.map(|bodies| format!("; the body is {}", size_in_words(&bodies, 2)));
            return Some(hint + &beside.unwrap_or_default());
        }
        let bodies = bodies.filter(|bodies| garment.place == Placing::AsIs && !bounds.overlaps(bodies))?;
        let remedy = self.axis_remedy(garment, bounds, &bodies, source).unwrap_or_else(|| {
            let by = nalgebra::center(&bodies.min, &bodies.max) - nalgebra::center(&bounds.min, &bounds.max);
            source.translate_option((Vector3::from(garment.translate) + by).into())
        });
        Some(format!(
            "starts beside the body: it is {}, the body {}; {remedy} puts it on the body",
            size_in_words(bounds, 2),
            size_in_words(&bodies, 2)
        ))
    }

    /// The option that makes the other axis of the garment point up, if the garment is on the body then.
    fn axis_remedy(
        &self,
        garment: &Garment,
        bounds: &Aabb,
        bodies: &Aabb,
        source: &SceneSource,
    ) -> Option<String> {
        // From y up to z up, as `upright` turns it, or back.
        let (up, degrees) = match garment.up {
            Up::Y => ("z", -90.0),
            Up::Z => ("y", 90.0),
        };
        let turn = Rotation { axis: [1.0, 0.0, 0.0], degrees }.quaternion();
        let offset = Vector3::from(garment.translate);
        let corner =
            |i: usize| Point3::from(Vector3::from_fn(|k, _| [bounds.min, bounds.max][i >> k & 1][k]));
        let turned = Aabb::of_points((0..8).map(|i| turn * (corner(i) - offset) + offset));
        (garment.rotate.is_none() && turned.overlaps(bodies)).then(|| match source {
            SceneSource::File(_) => format!("up = \"{up}\""),
            SceneSource::Flags(_) if self.has_mesh => format!("--rotate x,{degrees}"),
            SceneSource::Flags(_) => format!("--up {up}"),
        })
    }
}

/// From how high (m) over its body a garment falls: a part of its longest side.
#[must_use]
pub fn drop_height(garment: &Aabb) -> f64 {
    0.03 * (garment.max - garment.min).max()
}

/// The translation that lowers a garment on the middle of a body.
fn above(garment: &Aabb, body: &Aabb) -> Vector3<f64> {
    let (from, to) = (nalgebra::center(&garment.min, &garment.max), nalgebra::center(&body.min, &body.max));
    Vector3::new(to.x - from.x, body.max.y + drop_height(garment) - garment.min.y, to.z - from.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(min: [f64; 3], max: [f64; 3]) -> Aabb {
        Aabb { min: min.into(), max: max.into() }
    }

    #[test]
    fn lowers_a_box_on_the_middle_of_another() {
        let t = above(&boxed([0.0, 5.0, 0.0], [2.0, 6.0, 2.0]), &boxed([-1.0; 3], [1.0, 3.0, 1.0]));
        assert!((t - Vector3::new(-1.0, -1.94, -1.0)).norm() < 1e-12, "{t}");
    }

    /// What is said of a garment in these bounds, with a person to wear it.
    fn doubt(
        keys: &str,
        min: [f64; 3],
        max: [f64; 3],
        has_mesh: bool,
        source: &SceneSource,
    ) -> Option<String> {
        let garment: Garment = toml::from_str(&format!("mesh = \"a.obj\"\n{keys}")).unwrap();
        let person = boxed([-0.6, 0.0, -0.2], [0.6, 1.75, 0.2]);
        let stage = Stage { bodies: Some(person), is_worn: true, has_mesh };
        stage.doubt(&garment, &boxed(min, max), source)
    }

    #[test]
    fn doubts_what_is_beside_the_body_and_names_the_option() {
        let [flags, scene] = [SceneSource::Flags("a.obj".into()), SceneSource::File("s.toml".into())];
        let shirt = ([-0.3, 1.0, -0.1], [0.3, 1.5, 0.1]);
        assert_eq!(doubt("", shirt.0, shirt.1, false, &flags), None);
        // Its back on the floor, as a file with z up that was read with y up.
        let lying = ([-0.3, -0.1, 1.0], [0.3, 0.1, 1.5]);
        let said = |has_mesh, source| doubt("unit = 1", lying.0, lying.1, has_mesh, source).unwrap();
        assert!(said(false, &flags).contains("; --up z puts it on the body"), "{}", said(false, &flags));
        assert!(said(true, &flags).contains("; --rotate x,-90 puts"), "{}", said(true, &flags));
        assert!(said(false, &scene).contains("; up = \"z\" puts"), "{}", said(false, &scene));
        let far = |source| {
            doubt("translate = [1, 0, 0]", [2.7, 1.0, -0.1], [3.3, 1.5, 0.1], false, source).unwrap()
        };
        assert_eq!(
            far(&flags),
            "starts beside the body: it is 0.60 x 0.50 x 0.20 m, the body 1.20 x 1.75 x 0.40 m; \
             --translate -2.000,-0.375,0.000 puts it on the body"
        );
        assert!(far(&scene).contains("translate = [-2.000, -0.375, 0.000]"), "{}", far(&scene));
        assert_eq!(doubt("place = \"above\"", [0.0, 1.8, 0.0], [0.5, 2.2, 0.5], false, &flags), None);
    }

    #[test]
    fn doubts_a_size_before_a_position() {
        let flags = SceneSource::Flags("a.obj".into());
        let large = doubt("unit = 1", [10.0; 3], [13.1, 12.0, 12.0], false, &flags).unwrap();
        assert!(large.contains("3.10 m long is large") && large.contains("--unit 0.1"), "{large}");
        assert!(large.ends_with("; the body is 1.20 x 1.75 x 0.40 m"), "{large}");
        let small = doubt("", [0.0; 3], [0.09, 0.01, 0.01], false, &SceneSource::File("s".into())).unwrap();
        assert!(small.contains("is small") && small.contains("scale = 10 makes"), "{small}");
        for longest in [0.1, 3.0] {
            assert_eq!(doubt("", [0.0; 3], [longest, 0.05, 0.05], false, &flags), None);
        }
    }
}
