//! Conformance tests for implementations of [`Ccd`](super::Ccd): comparison with
//! [`Reference`](super::Reference) and with queries of known result.
//!
//! `conformance_suite!(name, method, agreement)` generates a module with one `#[test]` per case:
//!
//! ```
//! use cloth_ccd::conformance::Agreement;
//! use cloth_ccd::Reference;
//!
//! cloth_ccd::conformance_suite!(
//!     reference,
//!     Reference,
//!     Agreement::Exact { gap: 1e-15, slack: 0.0, rounding: 0.0 }
//! );
//! ```
//!
//! [`FAMILIES`] generate queries for other tests from a [`ChoiceSequence`], which proptest may provide;
//! [`code`] prints a query as Rust code. No dependencies beyond those of the library are needed.

pub mod cases;
mod choices;
mod code;
mod contact;
mod distances;
mod families;
mod known;
mod lattice;
mod oracle;
mod placement;
mod query_kind;
mod samples;
mod symmetry;
mod trial;

pub use choices::ChoiceSequence;
pub use code::code;
pub use families::{EXTREMES, FAMILIES, Family};
pub use oracle::{Agreement, check_answer};
pub use query_kind::QueryKind;

/// Stamps the conformance suite of continuous collision detection on a method:
/// `conformance_suite!(name, method, agreement)`.
#[macro_export]
macro_rules! conformance_suite {
    ($name:ident, $method:expr, $agreement:expr) => {
        $crate::conformance_suite!(@cases $name, $method, $agreement;
            agrees_on_two_points,
            agrees_on_points_and_edges,
            agrees_on_points_and_triangles,
            agrees_on_pairs_of_edges,
            agrees_on_images_of_two_points,
            agrees_on_images_of_points_and_edges,
            agrees_on_images_of_points_and_triangles,
            agrees_on_images_of_pairs_of_edges,
            sees_no_difference_in_degenerate_forms,
            agrees_at_a_distance,
            arrives_exactly_at_a_distance,
            never_misses_what_a_sample_sees,
            finds_contacts_made_by_construction,
            respects_gaps_made_by_construction,
            knows_crossings_beside_every_border,
            knows_arrivals_and_departures,
            knows_motions_within_a_plane,
            knows_roots_that_meet_and_part,
            knows_which_of_three_roots_is_a_hit,
            knows_pairs_at_rest,
            knows_the_ends_of_the_range_of_numbers,
            refuses_what_is_not_finite,
            refuses_distances_that_are_none,
            says_free_just_when_it_finds_no_impact);
    };
    (@cases $name:ident, $method:expr, $agreement:expr; $($case:ident),*) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $case() {
                    $crate::conformance::cases::$case(&$method, $agreement);
                }
            )*
        }
    };
}
