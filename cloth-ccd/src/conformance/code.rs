//! A query as Rust code, so that a failure can be pasted as a named test.

use nalgebra::Point3;

use super::QueryKind;
use crate::Query;

/// The expression that makes the query, bit for bit.
#[must_use]
pub fn code(query: &Query) -> String {
    let constructor = match QueryKind::from_query(query) {
        QueryKind::PointPoint => "point_point",
        QueryKind::PointEdge => "point_edge",
        QueryKind::PointTriangle => "point_triangle",
        QueryKind::EdgeEdge => "edge_edge",
    };
    format!("Query::{constructor}(\n    {},\n    {},\n)", points(query.start()), points(query.end()))
}

fn points(points: &[Point3<f64>]) -> String {
    let point = |p: &Point3<f64>| format!("Point3::new({}, {}, {})", number(p.x), number(p.y), number(p.z));
    format!("[{}]", points.iter().map(point).collect::<Vec<_>>().join(", "))
}

fn number(value: f64) -> String {
    if value.is_nan() {
        "f64::NAN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "f64::INFINITY".into() } else { "f64::NEG_INFINITY".into() }
    } else {
        // The shortest that is read as the same number, and always with a point or an exponent.
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_can_be_pasted() {
        let query = Query::point_point(
            [Point3::new(0.1, -0.0, 5e-324), Point3::new(1.0, f64::MAX, 0.0)],
            [Point3::new(f64::NAN, f64::INFINITY, 1e22), Point3::origin()],
        );
        assert_eq!(
            code(&query),
            "Query::point_point(\n    \
             [Point3::new(0.1, -0.0, 5e-324), Point3::new(1.0, 1.7976931348623157e308, 0.0)],\n    \
             [Point3::new(f64::NAN, f64::INFINITY, 1e22), Point3::new(0.0, 0.0, 0.0)],\n)"
        );
    }
}
