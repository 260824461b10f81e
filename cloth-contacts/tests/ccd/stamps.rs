//! The conformance suite on every method.

use cloth_contacts::ccd::conformance::Agreement;
use cloth_contacts::ccd::{Additive, Filtered, Inclusion, Reference};
use cloth_contacts::ccd_conformance;

/// The widest distance between two neighbouring numbers of the step: the gap of a time that is exact to the last bit.
const LAST_BIT: f64 = f64::EPSILON / 2.0;

const REFERENCE: Agreement = Agreement::Exact { gap: LAST_BIT, slack: 0.0, rounding: 0.0 };
/// As [`Filtered::default`] and [`Filtered::DISTANCE_TOLERANCE`] say.
pub(crate) const FILTERED: Agreement =
    Agreement::Exact { gap: 1e-6, slack: Filtered::DISTANCE_TOLERANCE, rounding: 1e-13 };
pub(crate) const TIGHT: Agreement =
    Agreement::Exact { gap: LAST_BIT, slack: Filtered::DISTANCE_TOLERANCE, rounding: 1e-13 };

ccd_conformance!(reference, Reference, REFERENCE);
ccd_conformance!(filtered, Filtered::default(), FILTERED);
ccd_conformance!(filtered_tight, Filtered::tight(), TIGHT);
ccd_conformance!(inclusion, Inclusion::default(), Agreement::OneSided);
ccd_conformance!(additive, Additive::default(), Agreement::OneSided);
