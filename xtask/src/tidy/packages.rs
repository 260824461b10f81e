//! How many packages a crate compiles: who wants the judge, the gate or the solver alone does not compile
//! what others need, nor does the first run of the harness.

use std::collections::BTreeSet;

/// A crate with the options that choose its features, and the most packages that it may compile on Linux,
/// itself, macros and what they use included.
pub(super) const LIMITS: [(&str, usize); 8] = [
    ("cloth-ccd", 31),
    ("cloth-broadphase --no-default-features", 31),
    ("cloth-contacts --no-default-features", 33),
    ("cloth-certify --no-default-features", 34),
    ("cloth-certify", 40),
    ("cloth-solver", 43),
    ("cloth-show", 114),
    ("cloth-verify --no-default-features --features program", 151),
];

/// A complaint if `cargo tree --prefix none` lists more packages than the limit.
pub(super) fn complaint(options: &str, limit: usize, listed: &str) -> Option<String> {
    // A package that was listed before ends with a mark.
    let packages: BTreeSet<&str> =
        listed.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty()).collect();
    let count = packages.len();
    (count > limit).then(|| {
        let all = packages.into_iter().collect::<Vec<_>>().join(", ");
        format!(
            "{options} compiles {count} packages, and the limit in xtask's packages.rs is {limit}: put what \
             few need behind a feature; they are {all}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_counts_once_and_each_version_counts() {
        let listed = "a v1.0.0 (/a)\nb v1.0.0\nc v1.0.0\nb v1.0.0 (*)\nb v2.0.0\n\n";
        assert_eq!(complaint("a", 4, listed), None);
        let more = complaint("a", 3, listed).expect("a complaint");
        assert!(more.contains("a compiles 4 packages, and the limit in xtask's packages.rs is 3"), "{more}");
    }
}
