//! Predictive cloth contacts and exact self-intersection checks.
