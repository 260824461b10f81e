//! Many tapes for one property, and the simplest tape that breaks it.

use super::choices::ChoiceSequence;

/// Most attempts at making a failure simpler.
const ATTEMPTS: usize = 4000;

/// Panics unless a property holds for that many tapes, with the complaint about the simplest that was found.
pub(super) fn for_tapes(count: u64, property: impl Fn(&mut ChoiceSequence) -> Result<(), String>) {
    for seed in 0..count {
        let choices = ChoiceSequence::seeded(seed);
        if let Err(complaint) = property(&mut choices.clone()) {
            panic!("{}", simplest(choices, complaint, &property));
        }
    }
}

/// Makes choices zero, or smaller, as long as the property stays broken.
fn simplest(
    choices: ChoiceSequence,
    complaint: String,
    property: &impl Fn(&mut ChoiceSequence) -> Result<(), String>,
) -> String {
    let (mut choices, mut complaint) = (choices.into_choices(), complaint);
    let mut attempts = ATTEMPTS;
    let mut changed = true;
    while changed && attempts > 0 {
        changed = false;
        for at in 0..choices.len() {
            for shift in [0, 1, 3, 6, 9, 12] {
                let smaller = choices[at] - (choices[at] >> shift);
                if smaller == choices[at] || attempts == 0 {
                    continue;
                }
                attempts -= 1;
                let mut attempt = choices.clone();
                attempt[at] = smaller;
                if let Err(reason) = property(&mut ChoiceSequence::new(attempt.clone())) {
                    (choices, complaint, changed) = (attempt, reason, true);
                }
            }
        }
    }
    complaint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_simplest_tape_that_fails() {
        let property = |choices: &mut ChoiceSequence| {
            let (a, b) = (choices.below(1000), choices.below(1000));
            if a + b < 700 { Ok(()) } else { Err(format!("{a} and {b}")) }
        };
        assert!(property(&mut ChoiceSequence::seeded(3)).is_err(), "the test needs a seed that fails");
        let complaint = simplest(ChoiceSequence::seeded(3), String::new(), &property);
        let sum = complaint.split(" and ").map(|word| word.parse::<i32>().expect("a number")).sum::<i32>();
        assert_eq!(sum, 700, "{complaint}");
    }
}
