//! Candidates through a method, a chunk at a time: nothing is stored but the chunk, and its clock is not the
//! broad phase's.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::known::KnownPairs;
use crate::commands::ccd::method::Method;
use crate::commands::ccd::rebuilt::query_of;
use crate::commands::ccd::stages::Stages;
use crate::commands::motion::{Frames, Pair};
use crate::failure::Failure;
use crate::interrupt::INTERRUPT;

/// Candidates of a chunk: so many that reading the clock twice a chunk costs nothing.
const CHUNK: usize = 1 << 14;

/// Candidates that a thread takes at once.
const PIECE: usize = 1 << 8;

/// What a method made of all candidates.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Collisions of a vertex and a face, and of two edges.
    pub(super) hits: [usize; 2],
    pub(super) stages: Stages,
    /// Of the pairs with known answers: found as they should be, and found though they do not collide.
    pub(super) known_hits: usize,
    pub(super) false_positives: usize,
    pub(super) candidates: usize,
    pub(super) total: Duration,
    pub(super) ccd: Duration,
}

/// A method that is being fed.
pub(super) struct Stream<'a, P: FnMut(usize)> {
    frames: &'a Frames,
    method: Method,
    known: &'a KnownPairs,
    pool: Option<rayon::ThreadPool>,
    report: P,
    start: Instant,
    chunk: Vec<Pair>,
    tally: Tally,
    failed: Option<Failure>,
}

/// What a method made of a piece of a chunk.
#[derive(Default)]
struct Piece {
    hits: Vec<Pair>,
    stages: Stages,
}

impl<'a, P: FnMut(usize)> Stream<'a, P> {
    /// Starts the clock; `report` receives the number of finished candidates.
    pub(super) fn start(
        frames: &'a Frames,
        method: Method,
        known: &'a KnownPairs,
        threads: usize,
        report: P,
    ) -> Result<Self, Failure> {
        let pool = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|e| Failure::new(format!("cannot start {threads} threads: {e}; use fewer")))
        };
        let pool = (threads > 1).then(pool).transpose()?;
        let (chunk, tally) = (Vec::with_capacity(CHUNK), Tally::default());
        Ok(Self { frames, method, known, pool, report, start: Instant::now(), chunk, tally, failed: None })
    }

    /// Takes a candidate.
    pub(super) fn push(&mut self, pair: Pair) {
        self.chunk.push(pair);
        if self.chunk.len() == CHUNK {
            self.flush();
        }
    }

    /// Stops the clock; returns the error of a candidate, if there was one.
    pub(super) fn finish(mut self) -> Result<Tally, Failure> {
        self.flush();
        self.tally.total = self.start.elapsed();
        self.failed.map_or(Ok(self.tally), Err)
    }

    fn flush(&mut self) {
        if self.failed.is_some() || INTERRUPT.is_requested() {
            return self.chunk.clear();
        }
        let start = Instant::now();
        let pieces = self.pieces();
        self.tally.ccd += start.elapsed();
        match pieces {
            Ok(pieces) => pieces.iter().for_each(|piece| self.count(piece)),
            Err(failure) => self.failed = Some(failure),
        }
        self.tally.candidates += self.chunk.len();
        self.chunk.clear();
        (self.report)(self.tally.candidates);
    }

    fn pieces(&self) -> Result<Vec<Piece>, Failure> {
        let (frames, method, chunk) = (self.frames, self.method, &self.chunk);
        match &self.pool {
            None => chunk.chunks(PIECE).map(|pairs| piece(frames, method, pairs)).collect(),
            Some(pool) => {
                pool.install(|| chunk.par_chunks(PIECE).map(|pairs| piece(frames, method, pairs)).collect())
            }
        }
    }

    fn count(&mut self, piece: &Piece) {
        self.tally.stages.sum(&piece.stages);
        for &pair in &piece.hits {
            self.tally.hits[usize::from(matches!(pair, Pair::EdgeEdge(_)))] += 1;
            match self.known.find(pair) {
                Some((_, true)) => self.tally.known_hits += 1,
                Some((_, false)) => self.tally.false_positives += 1,
                None => {}
            }
        }
    }
}

fn piece(frames: &Frames, method: Method, pairs: &[Pair]) -> Result<Piece, Failure> {
    let mut piece = Piece::default();
    for &pair in pairs {
        let answer = method.answer(&query_of(frames, pair));
        let answer = answer.map_err(|e| Failure::new(format!("candidate {pair}: {e}")))?;
        piece.stages.add(answer.stage);
        if answer.impact.is_some() {
            piece.hits.push(pair);
        }
    }
    Ok(piece)
}
