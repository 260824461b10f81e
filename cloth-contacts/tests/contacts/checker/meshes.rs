//! Meshes of every kind that a file may contain: sheets, rings, layers, pages on one edge, closed surfaces
//! and soups.

use nalgebra::Point3;

use cloth_testing::Dice;

/// A mesh at rest, on whole numbers.
pub(super) struct Mesh {
    pub(super) positions: Vec<Point3<f64>>,
    pub(super) faces: Vec<[u32; 3]>,
}

/// A mesh of some ten faces.
pub(super) fn mesh(dice: &mut Dice) -> Mesh {
    let mut mesh = match dice.below(12) {
        0..=5 => sheet(dice),
        6 => band(dice),
        7 => layers(dice),
        8 => book(dice),
        9 => closed(),
        10 => fan(dice),
        _ => soup(dice),
    };
    spoil(dice, &mut mesh.faces);
    mesh
}

fn sheet(dice: &mut Dice) -> Mesh {
    let most = if dice.one_in(4) { 6 } else { 4 };
    let [nx, nz] = [2 + dice.below(most), 2 + dice.below(most)];
    let one_way = dice.one_in(2);
    let positions = (0..nx * nz).map(|v| Point3::new(f64::from(v % nx), 0.0, f64::from(v / nx))).collect();
    let cells = (0..nz - 1).flat_map(|j| (0..nx - 1).map(move |i| j * nx + i));
    let faces = cells.flat_map(|v| {
        let corners = [v, v + 1, v + nx, v + nx + 1];
        if one_way { halves(corners) } else { cell(dice, corners) }
    });
    let faces = faces.collect();
    Mesh { positions, faces }
}

/// Two triangles over four corners, `a b` below `c d`, with either diagonal.
fn cell(dice: &mut Dice, [a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    if dice.one_in(2) { halves([a, b, c, d]) } else { [[a, c, d], [a, d, b]] }
}

fn halves([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    [[a, c, b], [b, c, d]]
}

/// A strip that is closed to a ring, or with a half turn to a Moebius band.
fn band(dice: &mut Dice) -> Mesh {
    let (n, turned) = (4 + dice.below(4), dice.one_in(2));
    let row = |i: u32, z: f64| {
        let across = f64::from(i % (n / 2 + 1));
        Point3::new(across, f64::from(i / (n / 2 + 1)), z)
    };
    let positions = (0..n).flat_map(|i| [row(i, 0.0), row(i, 1.0)]).collect();
    let faces = (0..n).flat_map(|i| {
        let (a, next) = (2 * i, 2 * ((i + 1) % n));
        let [c, d] = if turned && i == n - 1 { [next + 1, next] } else { [next, next + 1] };
        cell(dice, [a, a + 1, c, d])
    });
    let faces = faces.collect();
    Mesh { positions, faces }
}

/// Two sheets, which may have vertices in common.
fn layers(dice: &mut Dice) -> Mesh {
    let (lower, upper) = (sheet(dice), sheet(dice));
    let offset = lower.positions.len() as u32;
    let common = [0, 0, 1, 2, 5][dice.below(5) as usize];
    let name = |v: u32| if v < common { v } else { v + offset };
    let mut positions = lower.positions;
    positions.extend(upper.positions.iter().map(|p| Point3::new(p.x, p.y + 1.0, p.z)));
    let mut faces = lower.faces;
    faces.extend(upper.faces.iter().map(|f| f.map(name)));
    Mesh { positions, faces }
}

/// Pages on one spine: edges with many faces.
fn book(dice: &mut Dice) -> Mesh {
    let pages = 2 + dice.below(5);
    let spine = [0.0, 1.0, 2.0].map(|z| Point3::new(0.0, 0.0, z));
    let tip = |k: u32, z: f64| Point3::new(f64::from(k % 3) - 1.0, f64::from(k / 3), z);
    let positions = spine.into_iter().chain((0..pages).flat_map(|k| [tip(k, 0.0), tip(k, 2.0)])).collect();
    let faces = (0..pages).flat_map(|k| {
        let (a, b) = (3 + 2 * k, 4 + 2 * k);
        [[0, 1, a], [1, b, a], [1, 2, b]]
    });
    Mesh { positions, faces: faces.collect() }
}

/// An octahedron.
fn closed() -> Mesh {
    let [x, y, z] = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]].map(Point3::from);
    let faces =
        [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]].to_vec();
    Mesh { positions: vec![x, y, z, -x, -y, -z], faces }
}

/// Faces around one vertex, all around or not; two fans on one vertex at times.
fn fan(dice: &mut Dice) -> Mesh {
    let rim = [[2, 0], [2, 2], [0, 2], [-2, 2], [-2, 0], [-2, -2], [0, -2], [2, -2]];
    let mut positions = vec![Point3::origin()];
    let mut faces = Vec::new();
    for height in 0..1 + dice.below(2) {
        let first = positions.len() as u32;
        let n = 3 + dice.below(6);
        let corner = |[x, z]: [i32; 2]| Point3::new(f64::from(x), f64::from(height), f64::from(z));
        positions.extend(rim.into_iter().take(n as usize).map(corner));
        let sides = if dice.one_in(2) { n } else { n - 1 };
        faces.extend((0..sides).map(|i| [0, first + (i + 1) % n, first + i]));
    }
    Mesh { positions, faces }
}

/// Any faces over a few vertices.
fn soup(dice: &mut Dice) -> Mesh {
    let n = 4 + dice.below(11);
    let corner = |dice: &mut Dice| Point3::new(dice.whole(2), dice.whole(2), dice.whole(2));
    let positions = (0..n).map(|_| corner(dice)).collect();
    let mut faces = Vec::new();
    for _ in 0..1 + dice.below(20) {
        let f = [dice.below(n), dice.below(n), dice.below(n)];
        if f[0] != f[1] && f[1] != f[2] && f[2] != f[0] {
            faces.push(f);
        }
    }
    Mesh { positions, faces }
}

/// Drops, doubles or turns over a face here and there.
fn spoil(dice: &mut Dice, faces: &mut Vec<[u32; 3]>) {
    if faces.is_empty() || !dice.one_in(3) {
        return;
    }
    let chosen = dice.below(faces.len() as u32) as usize;
    let [a, b, c] = faces[chosen];
    match dice.below(4) {
        0 => drop(faces.swap_remove(chosen)),
        1 => faces.push([b, c, a]),
        2 => faces.push([a, c, b]),
        _ => faces[chosen] = [a, c, b],
    }
}
