use std::collections::BTreeSet;

use super::*;

/// Steps of a case, and those after which truncation by planes has let one sheet through another.
const STEPS: usize = 12;

/// A control that does not cross, or a peer that always does, would compare nothing.
#[test]
fn the_control_crosses_and_the_certifier_does_not() {
    let flat: Vec<_> = cases().into_iter().take(2).collect();
    for case in &flat {
        let run = |contestant| pushes::run(case, STEPS, contestant).crossings;
        assert_eq!(run(Contestant::Certifier), 0, "{}", case.name());
        assert!(run(AS_PROPOSED) > 0, "{}", case.name());
        // In f64 around the origin numbers are fine enough for it.
        assert_eq!(run(Contestant::Function(gates::line_search)), 0, "{}", case.name());
    }
    let planes = pushes::run(&flat[1], STEPS, Contestant::Function(gates::planes));
    assert!(planes.first_crossing.is_some_and(|step| step > 5), "{planes:?}");
}

#[test]
fn every_contender_and_case_has_a_name_of_its_own() {
    let names: BTreeSet<String> = cases().iter().map(|case| case.name()).collect();
    assert_eq!(names.len(), cases().len());
    let contenders: BTreeSet<&str> = CONTENDERS.iter().map(|c| c.0).collect();
    assert_eq!(contenders.len(), CONTENDERS.len());
    assert!(measure(0, "").is_err());
}
