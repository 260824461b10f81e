//! Position-based cloth dynamics with substeps and self collision.
