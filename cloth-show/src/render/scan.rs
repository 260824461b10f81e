//! Which samples a triangle covers.

/// Calls `visit(index, [b0, b1, b2])` for each sample of a `width` x `height` grid whose middle lies in the
/// closed triangle, row by row, with its barycentric coordinates on the picture plane. Triangles of no area,
/// or of one that overflows, cover nothing; both windings count.
#[inline]
pub(super) fn scan(
    corners: [[f32; 2]; 3],
    width: usize,
    height: usize,
    mut visit: impl FnMut(usize, [f32; 3]),
) {
    let [a, b, c] = corners;
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let inverse = 1.0 / area;
    if !inverse.is_finite() || inverse == 0.0 {
        return;
    }
    let (x0, x1) = covered([a[0], b[0], c[0]], width);
    let (y0, y1) = covered([a[1], b[1], c[1]], height);
    // b0 is the part of the area opposite corner a: linear in x and y.
    let (dx0, dy0) = ((b[1] - c[1]) * inverse, (c[0] - b[0]) * inverse);
    let (dx1, dy1) = ((c[1] - a[1]) * inverse, (a[0] - c[0]) * inverse);
    for y in y0..y1 {
        let from_c = [x0 as f32 + 0.5 - c[0], y as f32 + 0.5 - c[1]];
        let (row0, row1) = (dx0 * from_c[0] + dy0 * from_c[1], dx1 * from_c[0] + dy1 * from_c[1]);
        for x in x0..x1 {
            let step = (x - x0) as f32;
            let (b0, b1) = (row0 + dx0 * step, row1 + dx1 * step);
            let b2 = 1.0 - b0 - b1;
            if b0 >= 0.0 && b1 >= 0.0 && b2 >= 0.0 {
                visit(y * width + x, [b0, b1, b2]);
            }
        }
    }
}

/// The samples whose middles lie between the least and the greatest coordinate. A cast from float saturates.
fn covered(c: [f32; 3], count: usize) -> (usize, usize) {
    let least = c[0].min(c[1]).min(c[2]);
    let greatest = c[0].max(c[1]).max(c[2]);
    (((least - 0.5).ceil() as usize).min(count), ((greatest + 0.5).floor() as usize).min(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered_by(corners: [[f32; 2]; 3]) -> Vec<usize> {
        let mut found = Vec::new();
        scan(corners, 4, 4, |i, _| found.push(i));
        found
    }

    #[test]
    fn covers_the_samples_whose_middles_are_inside_whatever_the_winding() {
        let triangle = [[0.0, 0.0], [3.2, 0.0], [0.0, 3.2]];
        assert_eq!(covered_by(triangle), [0, 1, 2, 4, 5, 8]);
        assert_eq!(covered_by([triangle[1], triangle[0], triangle[2]]), [0, 1, 2, 4, 5, 8]);
    }

    #[test]
    fn barycentric_coordinates_give_back_the_place() {
        let corners = [[0.3, -2.0], [5.0, 1.0], [1.0, 6.0]];
        scan(corners, 4, 4, |i, b| {
            for k in 0..2 {
                let place = [(i % 4) as f32 + 0.5, (i / 4) as f32 + 0.5][k];
                let sum: f32 = (0..3).map(|j| b[j] * corners[j][k]).sum();
                assert!((sum - place).abs() < 1e-5);
            }
        });
        assert!(!covered_by(corners).is_empty());
    }

    #[test]
    fn covers_nothing_where_there_is_no_triangle() {
        assert!(covered_by([[0.0, 0.0], [1.0, 1.0], [4.0, 4.0]]).is_empty());
        assert!(covered_by([[f32::NAN, 0.0], [1.0, 1.0], [4.0, 0.0]]).is_empty());
        assert!(covered_by([[-9.0, 0.0], [-8.0, 4.0], [-9.0, 4.0]]).is_empty());
        assert!(covered_by([[1e30, 0.0], [0.0, 1e30], [-1e30, -1e30]]).is_empty());
    }

    #[test]
    fn covers_the_whole_grid_when_it_is_far_larger() {
        assert_eq!(covered_by([[-900.0, -900.0], [1800.0, -900.0], [-900.0, 1800.0]]).len(), 16);
    }
}
