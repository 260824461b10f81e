//! The conformance suite on every method.

use cloth_ccd::conformance::Agreement;
use cloth_ccd::{Filtered, Reference, conformance_suite};

/// The widest distance between two neighbouring numbers of the step: the gap of a time that is exact to the
/// last bit.
const LAST_BIT: f64 = f64::EPSILON / 2.0;

const REFERENCE: Agreement = Agreement::Exact { gap: LAST_BIT, slack: 0.0, rounding: 0.0 };
/// As [`Filtered::default`] and [`Filtered::DISTANCE_TOLERANCE`] say.
pub(crate) const FILTERED: Agreement =
    Agreement::Exact { gap: 1e-6, slack: Filtered::DISTANCE_TOLERANCE, rounding: 1e-13 };
pub(crate) const TIGHT: Agreement =
    Agreement::Exact { gap: LAST_BIT, slack: Filtered::DISTANCE_TOLERANCE, rounding: 1e-13 };

conformance_suite!(reference, Reference, REFERENCE);
conformance_suite!(filtered, Filtered::default(), FILTERED);
conformance_suite!(filtered_tight, Filtered::tight(), TIGHT);
#[cfg(feature = "comparison")]
conformance_suite!(inclusion, cloth_ccd::Inclusion::default(), Agreement::OneSided);
#[cfg(feature = "comparison")]
conformance_suite!(additive, cloth_ccd::Additive::default(), Agreement::OneSided);
