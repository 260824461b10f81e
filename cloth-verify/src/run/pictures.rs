//! From kept states to pictures: a filmstrip, the last frame, and the last frame of the control.
//!
//! One camera sees the whole of the scenario's run, so that frames can be compared; the control, whose cloth
//! may end elsewhere, has the same. Where somebody runs about, it goes along.

use cloth_geom::Aabb;
use cloth_show::render::{
    BodyView, Camera, ClothView, Direction, Image, RenderScene, Resolution, Shape, collider_shape,
    encode_png, filmstrip, floor_height, render,
};
use cloth_solver::{ClothDesc, Collider};
use nalgebra::{Point3, Vector3};

use super::Observation;
use super::still::Still;
use crate::report::Picture;

/// Frames of a filmstrip, and how they are laid out.
const FRAMES: usize = 6;
const COLUMNS: usize = 3;
/// Pixels between them.
const GAP: usize = 4;
/// Pixels of a frame in the filmstrip, and of a picture of its own.
const SMALL: [usize; 2] = [480, 360];
const LARGE: [usize; 2] = [960, 720];

/// The frames of a filmstrip, from the start to the last, by squares: a scene falls first and settles long.
pub(super) fn frames(count: usize) -> Vec<usize> {
    let last = FRAMES - 1;
    let mut frames: Vec<usize> = (0..=last).map(|k| k * k * count / (last * last)).collect();
    frames.dedup();
    frames
}

/// Linear red, green and blue of the skin of a character.
const SKIN: [f32; 3] = [0.56, 0.42, 0.33];

/// Draws a scene.
pub(super) struct SceneRenderer<'a> {
    pub(super) cloths: &'a [ClothDesc],
    pub(super) view: Direction,
    /// What the pictures show, if not everything.
    pub(super) focus: Option<[Point3<f32>; 2]>,
    /// The collider that the focus goes along with.
    pub(super) follows: Option<usize>,
    /// The triangles of the skin of the wearer, which is drawn in place of colliders.
    pub(super) skin_faces: &'a [[u32; 3]],
}

impl SceneRenderer<'_> {
    /// The filmstrip and the last frame of a run.
    pub(super) fn of_run(&self, seen: &Observation) -> Vec<Picture> {
        let Some(last) = seen.stills.last() else { return Vec::new() };
        let draw = |still| self.draw(still, &seen.stills, SMALL);
        let images: Vec<Image> = seen.stills.iter().map(draw).collect();
        let frames: Vec<String> = seen.stills.iter().map(|s| s.frame.to_string()).collect();
        let strip = picture(&filmstrip(&images, COLUMNS, GAP), format!("Frames {}", frames.join(", ")));
        let caption = format!("Frame {}, the last: {}", last.frame, found(last));
        strip.into_iter().chain(picture(&self.draw(last, &seen.stills, LARGE), caption)).collect()
    }

    /// The last frame of a control.
    pub(super) fn of_control(&self, seen: &Observation, control: &str) -> Option<Picture> {
        let last = seen.stills.last()?;
        let caption = format!("Its control ({control}), frame {}: {}", last.frame, found(last));
        picture(&self.draw(last, &seen.stills, LARGE), caption)
    }

    fn camera(&self, stills: &[Still], gone: &Vector3<f32>) -> Camera {
        let bounds = match self.focus {
            Some(corners) => Aabb::of_points(corners.map(|p| (p + gone).map(f64::from))),
            None => stills.iter().map(bounds).fold(Aabb::EMPTY, Aabb::union),
        };
        Camera::framing(&bounds, self.view, SMALL[0] as f32 / SMALL[1] as f32)
    }

    /// How far the wearer, or else the collider that the focus goes along with, has gone since the first
    /// still.
    fn focus_displacement(&self, still: &Still, stills: &[Still]) -> Vector3<f32> {
        let collider = |still: &Still| Some(still.colliders.get(self.follows?)?.pose_t1.translation.vector);
        let place = |still: &Still| still.root.map(|root| root.coords).or_else(|| collider(still));
        let start = stills.first().and_then(place);
        place(still).zip(start).map_or_else(Vector3::zeros, |(now, start)| now - start)
    }

    /// One still of a run.
    fn draw(&self, still: &Still, stills: &[Still], [width, height]: [usize; 2]) -> Image {
        let gone = self.focus_displacement(still, stills);
        let camera = self.camera(stills, &gone);
        let shown = still.colliders.iter().filter(|c| self.shows(c, &gone));
        let bodies: Vec<_> = shown.filter_map(collider_shape).collect();
        let bodies = match still.skin.is_empty() {
            true => bodies.iter().map(Shape::as_body).collect(),
            false => vec![BodyView { positions: &still.skin, faces: self.skin_faces, color: Some(SKIN) }],
        };
        let pieces = self.pieces(still);
        let cloths: Vec<_> = pieces.iter().map(Piece::view).collect();
        let scene = RenderScene { cloths: &cloths, bodies: &bodies, floor_y: floor_height(&still.colliders) };
        render(&scene, &camera, Resolution::new(width, height))
    }

    /// Whether a collider may be in the picture, which of a thousand most are not.
    fn shows(&self, collider: &Collider, gone: &Vector3<f32>) -> bool {
        self.focus.is_none_or(|[low, high]| {
            let (at, reach) = (collider.pose_t1.translation.vector - gone, (high - low).norm());
            (0..3).all(|k| at[k] > low[k] - reach && at[k] < high[k] + reach)
        })
    }

    /// Each cloth with its own vertices and its own red faces.
    fn pieces<'a>(&'a self, still: &'a Still) -> Vec<Piece<'a>> {
        let (mut vertex, mut face) = (0, 0);
        let mut pieces = Vec::with_capacity(self.cloths.len());
        for (hue, cloth) in self.cloths.iter().enumerate() {
            let (vertices, faces) = (cloth.mesh.positions.len(), cloth.mesh.faces.len());
            let own = face as u32..(face + faces) as u32;
            let red_faces =
                still.red_faces.iter().filter(|f| own.contains(f)).map(|f| f - own.start).collect();
            let positions = &still.positions[vertex..vertex + vertices];
            pieces.push(Piece { positions, faces: &cloth.mesh.faces, hue, red_faces });
            (vertex, face) = (vertex + vertices, face + faces);
        }
        pieces
    }
}

struct Piece<'a> {
    positions: &'a [Point3<f32>],
    faces: &'a [[u32; 3]],
    hue: usize,
    red_faces: Vec<u32>,
}

impl Piece<'_> {
    fn view(&self) -> ClothView<'_> {
        let Self { positions, faces, hue, red_faces } = self;
        ClothView { positions, faces, hue: *hue, red_faces }
    }
}

fn found(still: &Still) -> String {
    match still.intersections {
        0 => "no intersection".into(),
        1 => "1 intersection, drawn red".into(),
        n => format!("{n} intersections, drawn red"),
    }
}

/// A picture that cannot be encoded is left out: it proves nothing either way.
fn picture(image: &Image, caption: String) -> Option<Picture> {
    encode_png(image).ok().map(|png| Picture { scenario: 0, caption, png })
}

/// Bounds (m) of the cloth and of the colliders that are drawn.
fn bounds(still: &Still) -> Aabb {
    let shapes: Vec<_> = still.colliders.iter().filter_map(collider_shape).collect();
    let bodies: Vec<_> = shapes.iter().map(Shape::as_body).collect();
    let cloth = ClothView { positions: &still.positions, faces: &[], hue: 0, red_faces: &[] };
    RenderScene { cloths: &[cloth], bodies: &bodies, floor_y: None }.bounds()
}

#[cfg(test)]
mod tests {
    use cloth_solver::Shape;
    use nalgebra::Isometry3;

    use super::*;

    #[test]
    fn a_filmstrip_goes_from_the_start_to_the_last_frame() {
        assert_eq!(frames(180), [0, 7, 28, 64, 115, 180]);
        assert_eq!(frames(3), [0, 1, 3]);
        assert_eq!(frames(0), [0]);
    }

    fn standing() -> SceneRenderer<'static> {
        let view = Direction::default();
        SceneRenderer { cloths: &[], view, focus: None, follows: None, skin_faces: &[] }
    }

    #[test]
    fn each_cloth_is_drawn_with_its_own_vertices_and_red_faces() {
        let mesh = cloth_geom::fixtures::sheet(2, 2, [1.0, 1.0]).expect("a sheet").mesh;
        let thickness = cloth_solver::Thickness::from_total(0.1, 0.4);
        let cloth = ClothDesc::new(mesh, cloth_solver::Material::COTTON, thickness);
        let still = Still {
            positions: (0..8).map(|i| Point3::new(i as f32, 0.0, 0.0)).collect(),
            red_faces: vec![1, 2],
            ..Still::default()
        };
        let cloths = [cloth.clone(), cloth];
        let renderer = SceneRenderer { cloths: &cloths, view: Direction::default(), ..standing() };
        let pieces = renderer.pieces(&still);
        assert_eq!((&pieces[0].red_faces[..], &pieces[1].red_faces[..]), (&[1][..], &[0][..]));
        assert_eq!((pieces[0].positions[0].x, pieces[1].positions[0].x), (0.0, 4.0));
        assert_ne!(pieces[0].hue, pieces[1].hue);
    }

    #[test]
    fn the_focus_goes_along_with_a_collider() {
        let ball =
            |x: f32| Collider::new(Shape::Sphere { radius: 0.1 }, Isometry3::translation(x, 1.0, 0.0), 0.0);
        let still = |x: f32| Still { colliders: vec![ball(x).expect("a ball")], ..Still::default() };
        let focus = Some([Point3::new(-1.0, 0.0, -1.0), Point3::new(1.0, 2.0, 1.0)]);
        let renderer = SceneRenderer { focus, follows: Some(0), ..standing() };
        let stills = [still(0.0), still(10.0)];
        let gone = renderer.focus_displacement(&stills[1], &stills);
        assert_eq!(
            (renderer.focus_displacement(&stills[0], &stills), gone),
            (Vector3::zeros(), Vector3::x() * 10.0)
        );
        assert!(
            renderer.shows(&stills[1].colliders[0], &gone)
                && !renderer.shows(&stills[1].colliders[0], &Vector3::zeros())
        );
        // What it sees far away is what it saw at the start.
        let pictures =
            stills.each_ref().map(|s| encode_png(&renderer.draw(s, &stills, [48, 36])).expect("a picture"));
        assert_eq!(pictures[0], pictures[1]);
        let standing = SceneRenderer { follows: None, ..renderer };
        let walking = |x: f32| Still { root: Some(Point3::new(x, 0.0, 0.0)), ..still(0.0) };
        let gone = standing.focus_displacement(&walking(3.0), &[walking(1.0)]);
        assert_eq!(gone, Vector3::x() * 2.0, "the wearer comes first");
        assert_eq!(standing.focus_displacement(&stills[1], &stills), Vector3::zeros());
    }
}
