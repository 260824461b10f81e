//! The convex hull of points, by adding one after the other (beneath-beyond) with exact signs.
//!
//! A face is replaced only if the new point lies strictly in front of it. So no new face is degenerate: a
//! point on the line of an edge of the horizon would lie in the plane of the face behind that edge, which
//! then were not replaced.

use cloth_geom::exact::{Sign, orient3d};
use nalgebra::Point3;

/// Points on a grid of 2^-24 of the power of two above the largest coordinate, without repetition.
///
/// Differences then have 26 bits and their products 52: cross products are exact up to one rounding.
pub(super) fn snap(points: &[Point3<f32>]) -> Vec<Point3<f64>> {
    let largest = f64::from(points.iter().map(|p| p.coords.amax()).fold(0.0, f32::max));
    let mut step = f64::from_bits(largest.to_bits() & 0x7ff0_0000_0000_0000) * 2.0_f64.powi(-23);
    if step == 0.0 {
        step = 1.0;
    }
    let mut snapped: Vec<Point3<f64>> =
        points.iter().map(|p| p.map(|c| (f64::from(c) / step).round() * step + 0.0)).collect();
    snapped.sort_by(|a, b| {
        (0..3).map(|k| a[k].total_cmp(&b[k])).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    snapped.dedup();
    snapped
}

/// The faces of the hull, counter-clockwise seen from outside; none if all points lie in one plane.
pub(super) fn hull(points: &[Point3<f64>]) -> Option<Vec<[u32; 3]>> {
    let first = first_tetrahedron(points)?;
    let [a, b, c, d] = first;
    let mut faces = vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for p in (0..points.len() as u32).filter(|p| !first.contains(p)) {
        let sees = |f: &[u32; 3]| side(points, *f, p) == Sign::Positive;
        edges.clear();
        faces.retain(|f| {
            let seen = sees(f);
            if seen {
                edges.extend([[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
            }
            !seen
        });
        edges.sort_unstable();
        let horizon = |e: &&[u32; 2]| edges.binary_search(&[e[1], e[0]]).is_err();
        faces.extend(edges.iter().filter(horizon).map(|&[u, v]| [u, v, p]));
    }
    Some(faces)
}

fn side(points: &[Point3<f64>], face: [u32; 3], p: u32) -> Sign {
    let [a, b, c] = face.map(|v| &points[v as usize]);
    orient3d(a, b, c, &points[p as usize])
}

/// Four points that span a volume, large where that is cheap to see; the last is behind the first three.
fn first_tetrahedron(points: &[Point3<f64>]) -> Option<[u32; 4]> {
    let farthest = |measure: &dyn Fn(&Point3<f64>) -> f64| {
        let most = (0..points.len()).max_by(|&i, &j| measure(&points[i]).total_cmp(&measure(&points[j])));
        most.filter(|&i| measure(&points[i]) > 0.0)
    };
    let a = points.first()?;
    let b = farthest(&|p| (p - a).norm_squared())?;
    let along = points[b] - a;
    // On the grid cross products are zero just for points on a line.
    let c = farthest(&|p| along.cross(&(p - a)).norm_squared())?;
    let normal = along.cross(&(points[c] - a));
    let best = farthest(&|p| normal.dot(&(p - a)).abs());
    let (b, c) = (b as u32, c as u32);
    let spans = |&d: &u32| side(points, [0, b, c], d) != Sign::Zero;
    // The measure is rounded: it may not see a volume that is there, but what it sees is checked.
    let d = best.map(|d| d as u32).filter(spans).or_else(|| (0..points.len() as u32).find(spans))?;
    Some(if side(points, [0, b, c], d) == Sign::Negative { [0, b, c, d] } else { [0, c, b, d] })
}
