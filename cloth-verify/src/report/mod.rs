//! Reports of a verify run.
