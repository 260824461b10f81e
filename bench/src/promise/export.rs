//! The cases for programs in other languages: what a case starts from, and how it pushes.

use cloth_certify::Coordinate;
use serde::Serialize;

use super::pushes::{Case, cases, setup};

/// A case at its start.
#[derive(Serialize)]
struct ExportedCase {
    /// The name in results.
    case: String,
    /// How the upper sheet is pushed: the name of a `Direction` of `cloth-certify/examples/pushes`.
    direction: String,
    /// Length of a push (m).
    push: f64,
    /// Whether positions are rounded to `f32` after every step.
    is_f32: bool,
    /// Positions (m).
    vertices: Vec<[f64; 3]>,
    faces: Vec<[u32; 3]>,
    /// The first vertices, this many, never move, and belong to one kinematic part.
    fixed: usize,
    /// The vertices from this one on are pushed.
    upper: usize,
}

/// All cases as a JSON list.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn cases_json() -> Result<String, String> {
    let export = |case: &Case| if case.is_f32 { exported::<f32>(case) } else { exported::<f64>(case) };
    let list: Vec<ExportedCase> = cases().iter().map(export).collect();
    serde_json::to_string(&list).map_err(|e| format!("cannot write JSON: {e}"))
}

fn exported<T: Coordinate>(case: &Case) -> ExportedCase {
    let setup = setup::<T>(case);
    ExportedCase {
        case: case.name(),
        direction: format!("{:?}", case.direction).to_lowercase(),
        push: setup.push,
        is_f32: case.is_f32,
        vertices: setup.x.iter().map(|p| p.map(Into::into)).collect(),
        faces: setup.mesh.topology().faces().to_vec(),
        fixed: setup.inv_mass.iter().filter(|&&w| Into::<f64>::into(w) == 0.0).count(),
        upper: setup.upper.start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_there_with_numbers_that_read_back_exactly() {
        let list: serde_json::Value = serde_json::from_str(&cases_json().expect("JSON")).expect("JSON");
        let list = list.as_array().expect("a list");
        assert_eq!(list.len(), cases().len());
        for (read, case) in list.iter().zip(cases()) {
            assert_eq!(read["case"], case.name());
            let x: Vec<[f64; 3]> = serde_json::from_value(read["vertices"].clone()).expect("positions");
            let [vertices, upper, fixed] = [
                x.len(),
                read["upper"].as_u64().expect("n") as usize,
                read["fixed"].as_u64().expect("n") as usize,
            ];
            assert_eq!(vertices - upper, 36, "one sheet is pushed");
            assert_eq!(fixed, if case.name().starts_with("obstacle") { 36 } else { 0 });
            if case.is_f32 {
                assert_eq!(x, setup::<f32>(&case).x.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>());
            } else {
                assert_eq!(x, setup::<f64>(&case).x);
            }
        }
    }
}
