//! What a picture must show, and what must not break it.

use super::*;

/// A square in the plane z = `z`, front side towards +z, cut into 2 x 2 x 8 x 8 faces.
fn square(z: f32) -> Shape {
    let n = 16_u32;
    let at = |i: u32| i as f32 / n as f32 - 0.5;
    let positions = (0..=n).flat_map(|j| (0..=n).map(move |i| Point3::new(at(i), at(j), z))).collect();
    let faces = (0..n * n)
        .flat_map(|k| {
            let p = k / n * (n + 1) + k % n;
            [[p, p + 1, p + n + 2], [p, p + n + 2, p + n + 1]]
        })
        .collect();
    Shape { positions, faces }
}

fn front() -> Camera {
    Camera { eye: Point3::new(0.0, 0.0, 3.0), target: Point3::origin(), fov_y: 0.5 }
}

fn view<'a>(shape: &'a Shape, hue: usize, red_faces: &'a [u32]) -> ClothView<'a> {
    ClothView { positions: &shape.positions, faces: &shape.faces, hue, red_faces }
}

fn draw(cloths: &[ClothView<'_>]) -> Image {
    render(&RenderScene { cloths, ..RenderScene::default() }, &front(), Resolution::new(64, 64))
}

fn pixel(image: &Image, x: usize, y: usize) -> [u8; 3] {
    let at = 3 * (y * image.width + x);
    [image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]]
}

fn is_red([r, g, b]: [u8; 3]) -> bool {
    r > 200 && g < 60 && b < 60
}

fn reddish([r, g, b]: [u8; 3]) -> bool {
    u32::from(r) > 3 * u32::from(g.max(b)) / 2
}

#[test]
fn same_scene_gives_the_same_bytes() {
    let shape = square(0.0);
    assert_eq!(draw(&[view(&shape, 0, &[3])]), draw(&[view(&shape, 0, &[3])]));
}

#[test]
fn nearer_sheet_hides_the_farther_one_whatever_their_order() {
    let (near, far) = (square(0.1), square(-0.1));
    let one = draw(&[view(&near, 1, &[]), view(&far, 2, &[])]);
    let other = draw(&[view(&far, 2, &[]), view(&near, 1, &[])]);
    assert_eq!(one, other);
    assert_ne!(pixel(&one, 32, 32), pixel(&draw(&[view(&far, 2, &[])]), 32, 32));
}

#[test]
fn two_sides_of_a_sheet_differ_in_hue() {
    let shape = square(0.0);
    let mut turned = shape.clone();
    turned.faces.iter_mut().for_each(|f| f.swap(1, 2));
    let blue = pixel(&draw(&[view(&shape, 0, &[])]), 32, 32);
    let sand = pixel(&draw(&[view(&turned, 0, &[])]), 32, 32);
    assert!(blue[2] > blue[0] && sand[0] > sand[2], "{blue:?} {sand:?}");
}

#[test]
fn intersecting_face_is_red_in_view_and_seen_through_what_hides_it() {
    let (near, far) = (square(0.1), square(-0.1));
    // A face in the middle of the picture.
    let middle = [2 * (8 * 16 + 8)];
    let find = |image: &Image, test: fn([u8; 3]) -> bool| {
        (0..64).flat_map(|y| (0..64).map(move |x| (x, y))).filter(|&(x, y)| test(pixel(image, x, y))).count()
    };
    let in_view = draw(&[view(&near, 0, &middle), view(&far, 0, &[])]);
    let hidden = draw(&[view(&near, 0, &[]), view(&far, 0, &middle)]);
    let none = draw(&[view(&near, 0, &[]), view(&far, 0, &[])]);
    assert!(find(&in_view, is_red) >= 4);
    assert!(find(&hidden, is_red) == 0 && find(&hidden, reddish) >= 4);
    assert_eq!(find(&none, reddish), 0);
}

#[test]
fn red_shows_on_faces_smaller_than_a_pixel_or_seen_edge_on() {
    let z = [0.0, 1e-5, 0.0];
    let tiny = Shape { positions: z.map(|d| Point3::new(d, z[0], 0.0)).to_vec(), faces: vec![[0, 1, 2]] };
    let edge_on = Shape {
        positions: vec![Point3::new(0.0, -0.2, 0.0), Point3::new(0.0, 0.2, 0.0), Point3::new(0.0, 0.0, -0.3)],
        faces: vec![[0, 1, 2]],
    };
    for shape in [tiny, edge_on] {
        let image = draw(&[view(&shape, 0, &[0])]);
        assert!(image.rgb.chunks(3).any(|p| reddish([p[0], p[1], p[2]])));
    }
}

#[test]
fn cloth_throws_a_shadow_on_the_floor() {
    let mut sheet = square(0.0);
    sheet.positions.iter_mut().for_each(|p| *p = Point3::new(p.x, 0.2, -p.y));
    let camera = Camera { eye: Point3::new(0.0, 3.0, 4.0), target: Point3::origin(), fov_y: 0.6 };
    let cloths = [view(&sheet, 0, &[])];
    let scene = |cloths| RenderScene { cloths, floor_y: Some(0.0), bodies: &[] };
    let (with, without) = (
        render(&scene(&cloths[..]), &camera, Resolution::new(64, 64)),
        render(&scene(&[]), &camera, Resolution::new(64, 64)),
    );
    let sum = |i: &Image| i.rgb.chunks(3).map(|p| u64::from(p[1])).sum::<u64>();
    let darkest =
        (0..64 * 64).map(|i| pixel(&with, i % 64, i / 64)).filter(|p| p[2] <= p[0] + 10).map(|p| p[1]).min();
    let plain = (0..64 * 64).map(|i| pixel(&without, i % 64, i / 64)[1]).min();
    assert!(darkest < plain.map(|p| p - 30), "{darkest:?} {plain:?}");
    assert!(sum(&with) < sum(&without));
}

#[test]
fn nonfinite_or_offscreen_geometry_does_not_break_the_picture() {
    let good = square(0.0);
    let mut bad = good.clone();
    for (i, c) in [f32::NAN, f32::INFINITY, -1e30, 1e30, 3.0e38].into_iter().enumerate() {
        bad.positions[20 * i + 3] = Point3::new(c, -c, c);
    }
    bad.faces.push([0, 1, 9999]);
    let body = BodyView { positions: &bad.positions, faces: &bad.faces, color: None };
    let cloths = [view(&bad, usize::MAX, &[0, 7, u32::MAX]), view(&good, 0, &[])];
    for floor_y in [None, Some(-0.5), Some(f32::NAN), Some(1e38)] {
        for eye in [[0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, f32::NAN], [0.1, 0.1, 0.0], [0.0, 5.0, 0.0]]
        {
            let camera = Camera { eye: Point3::from(eye), ..front() };
            let scene = RenderScene { cloths: &cloths, bodies: &[body], floor_y };
            assert_eq!(render(&scene, &camera, Resolution::new(16, 9)).rgb.len(), 3 * 16 * 9);
            let framed = Camera::framing(&scene.bounds(), Direction::default(), 1.0);
            let _ = render(&scene, &framed, Resolution::new(5, 5));
        }
    }
    assert!(!RenderScene::default().bounds().is_finite());
}

#[test]
fn resolution_is_clamped() {
    let image = render(&RenderScene::default(), &front(), Resolution::new(0, 0));
    assert_eq!((image.width, image.height, image.rgb.len()), (1, 1, 3));
    assert_eq!(Resolution::new(usize::MAX, 1).aspect(), 4096.0);
}
