//! Broad phases behind one contract: which of many boxes overlap.
