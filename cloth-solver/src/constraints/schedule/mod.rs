//! The order in which the constraints of a kind are projected, and their projection by one thread or several.
//!
//! Constraints are coloured: those of a colour share no vertex (`colouring.rs`), and one colour follows the
//! other. So each constraint waits for few, and the order within a colour changes no bit.
//!
//! ```text
//!                 thread 0                                        thread 1
//! colour 0   border 0 with border 1, border 0, interior 0     border 1, interior 1
//! colour 1   border 0 with border 1, border 0, interior 0     border 1, interior 1
//! ```
//!
//! Nothing waits for a whole colour: a task begins when all that come before it in its chunks have ended,
//! which one counter a chunk tells. Within a colour, constraints between the threads come first, then those
//! on their borders, then all others; so while a thread works on these, what others wait for has long been
//! done.

use std::ops::{Deref, DerefMut, Index, IndexMut, Range};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cloth_geom::lanes::Level;

use super::lanes::{Ids, Instructions, LANES8, dispatch, eights, in_parts};
use crate::bodies::Packed;
use crate::chunks::{Chunks, MOST_WORKERS};
use crate::colouring::{by_colour, colours};

/// A vertex of each of eight constraints, in the chunks that they lie in: the number of the chunk among these
/// in the two highest bits, and the slot in it.
pub(crate) type LocalIds = Ids;

/// Two of each worker.
const MOST_CHUNKS: usize = 2 * MOST_WORKERS;

/// Bits of the slot.
const SLOT_BITS: u32 = 30;

/// Most chunks of a constraint: it has at most four vertices.
const MOST_SHARED: usize = 4;

/// The number of a chunk, and the slot in it.
#[inline(always)]
fn parts(id: u32) -> (usize, usize) {
    ((id >> SLOT_BITS) as usize, (id & ((1 << SLOT_BITS) - 1)) as usize)
}

/// Least number of blocks for several threads: fewer take less time than it takes to share them.
const LEAST_BLOCKS: usize = 64;

/// Least number of items for several threads.
const LEAST_ITEMS: usize = 512;

/// Tries of a thread that waits before it lets others use its core.
const SPINS: u32 = 1000;

/// Eight constraints of a kind that share no vertex; a shorter block repeats its last one.
pub(crate) trait ConstraintBlock: Send + Sized {
    /// What is the same for all blocks of a projection.
    type Pass: Copy + Sync;

    /// The vertices of the constraints, by corner.
    fn corners(&self) -> &[LocalIds];

    /// Projects the constraints of a part.
    fn project<S: Instructions, X, X0>(
        &mut self,
        simd: S,
        part: usize,
        positions: PositionPair<'_, X, X0>,
        pass: Self::Pass,
    ) where
        X: IndexMut<usize, Output = Packed> + ?Sized,
        X0: Index<usize, Output = Packed> + ?Sized;
}

/// Positions (m) of vertices now and at the start of the substep.
pub(crate) struct PositionPair<'a, X: ?Sized, X0: ?Sized> {
    pub(crate) x: &'a mut X,
    pub(crate) x_t0: &'a X0,
}

/// Distinct chunks, ascending; the rest of the places repeat the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ChunkSet {
    count: usize,
    numbers: [u32; MOST_SHARED],
}

impl ChunkSet {
    fn new<const N: usize>(mut numbers: [u32; N]) -> Self {
        numbers.sort_unstable();
        let mut set = Self { count: 0, numbers: [numbers[N - 1]; MOST_SHARED] };
        for (i, &number) in numbers.iter().enumerate() {
            if i == 0 || number != numbers[i - 1] {
                set.numbers[set.count] = number;
                set.count += 1;
            }
        }
        set
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.numbers[..self.count].iter().map(|&number| number as usize)
    }

    /// The chunk that holds the blocks.
    fn owner(&self) -> usize {
        self.numbers[0] as usize
    }

    /// The worker of a task.
    fn worker(&self) -> usize {
        self.owner() / 2
    }

    /// Whether it is between workers (0), on the border of one (1), or in its interior (2).
    fn rank(&self) -> u8 {
        let is_shared = self.iter().any(|chunk| chunk / 2 != self.worker());
        if is_shared { 0 } else { 1 + (self.numbers[0] % 2) as u8 }
    }
}

/// Blocks of a colour whose vertices lie in the same chunks: what is projected by one thread without a break.
#[derive(Clone, Debug)]
struct Task {
    chunks: ChunkSet,
    /// The number of tasks that come before it in each of its chunks.
    turns: [u32; MOST_SHARED],
    blocks: Range<usize>,
    /// Whether they can move something, with the present masses. Leaving the others out changes no bit.
    is_active: bool,
}

/// Constraints of a kind, in blocks.
#[derive(Clone, Debug)]
pub(crate) struct Chunked<B> {
    chunks: Arc<Chunks>,
    /// The blocks, ordered by the chunk that owns their task.
    blocks: Vec<B>,
    /// Colour by colour.
    tasks: Vec<Task>,
    /// Where the blocks of each chunk end.
    ends: Vec<usize>,
    /// The number of tasks in each chunk.
    turns: Vec<u32>,
}

impl<B> Default for Chunked<B> {
    fn default() -> Self {
        let (blocks, tasks, ends, turns) = Default::default();
        Self { chunks: Default::default(), blocks, tasks, ends, turns }
    }
}

impl<B: ConstraintBlock> Chunked<B> {
    /// The blocks of constraints. `block` makes one, given what tells the number of a vertex in it.
    pub(crate) fn new<C: Copy, const N: usize>(
        chunks: &Arc<Chunks>,
        constraints: &[C],
        vertices: impl Fn(&C) -> [u32; N],
        block: impl Fn([C; LANES8], &dyn Fn(u32) -> u32) -> B,
    ) -> Self {
        let count = chunks.slots().len();
        let colours = colours(count, constraints.len(), |i| vertices(&constraints[i]));
        let mut order = by_colour(&colours);
        let colour = |i: u32| colours[i as usize];
        let own = |i: u32| ChunkSet::new(vertices(&constraints[i as usize]).map(|v| chunks.chunk_of(v)));
        if chunks.count() > 1 {
            let of_colours = order.chunk_by_mut(|a, b| colour(*a) == colour(*b));
            of_colours.for_each(|of_colour| of_colour.sort_by_key(|i| (own(*i).rank(), own(*i))));
        }
        let mut made = Self { chunks: chunks.clone(), turns: vec![0; chunks.count()], ..Self::default() };
        // In solving order.
        let mut blocks = Vec::with_capacity(constraints.len() / LANES8 + usize::from(u8::MAX));
        for task in order.chunk_by(|a, b| colour(*a) == colour(*b) && own(*a) == own(*b)) {
            let own = own(task[0]);
            let local = |v: u32| {
                let chunk = chunks.chunk_of(v) as usize;
                let at = own.iter().position(|own| own == chunk).unwrap_or(0) as u32;
                at << SLOT_BITS | (chunks.slots()[v as usize] - chunks.slots_of(chunk).start as u32)
            };
            let start = blocks.len();
            let constraint = |i: usize| constraints[task[i] as usize];
            let groups = eights(task.len(), |i| vertices(&constraint(i))).into_iter();
            blocks.extend(groups.map(|eight| block(eight.map(constraint), &local)));
            let turns = own.numbers.map(|chunk| made.turns[chunk as usize]);
            own.iter().for_each(|chunk| made.turns[chunk] += 1);
            made.tasks.push(Task { chunks: own, turns, blocks: start..blocks.len(), is_active: true });
        }
        if chunks.count() == 1 {
            // The last block of a colour is seldom full: a few more than there would be without colours.
            blocks.shrink_to_fit();
            made.ends = vec![blocks.len()];
            made.blocks = blocks;
        } else {
            made.store_by_owner(blocks);
        }
        made
    }

    /// Stores the blocks, given in solving order, by the chunk that owns their task.
    fn store_by_owner(&mut self, blocks: Vec<B>) {
        let mut blocks: Vec<Option<B>> = blocks.into_iter().map(Some).collect();
        for chunk in 0..self.chunks.count() {
            for task in self.tasks.iter_mut().filter(|task| task.chunks.owner() == chunk) {
                let start = self.blocks.len();
                self.blocks.extend(blocks[task.blocks.clone()].iter_mut().filter_map(Option::take));
                task.blocks = start..self.blocks.len();
            }
            self.ends.push(self.blocks.len());
        }
    }

    /// Updates which blocks can move something, given inverse masses.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        let Self { chunks, tasks, blocks, .. } = self;
        for task in tasks {
            let moves = |id: &u32| inv_mass[vertex_of(chunks, task, *id) as usize] > 0.0;
            let mut blocks = blocks[task.blocks.clone()].iter();
            task.is_active = blocks.any(|block| block.corners().iter().flatten().any(moves));
        }
    }

    /// Whether each vertex belongs to constraints that can move something, or to others of their task.
    pub(crate) fn active_vertices(&self) -> Vec<bool> {
        let mut active = vec![false; self.chunks.slots().len()];
        for task in self.tasks.iter().filter(|task| task.is_active) {
            let ids =
                self.blocks[task.blocks.clone()].iter().flat_map(|block| block.corners().iter().flatten());
            ids.for_each(|&id| active[vertex_of(&self.chunks, task, id) as usize] = true);
        }
        active
    }

    /// Projects all constraints `passes` times, on the threads of the pool that the caller runs in; given
    /// positions in slots, now and at the start of the substep.
    pub(crate) fn project(
        &mut self,
        positions: PositionPair<'_, [Packed], [Packed]>,
        level: Level,
        passes: u32,
        pass: B::Pass,
    ) {
        let PositionPair { x, x_t0 } = positions;
        let chunks = self.chunks.clone();
        let input = Input { chunks: &chunks, x_t0, level, pass };
        if self.chunks.workers() > 1 && self.blocks.len() >= LEAST_BLOCKS && workers() > 1 {
            return self.project_on_threads(x, passes, &input);
        }
        let Self { tasks, blocks, .. } = self;
        for _ in 0..passes {
            for task in tasks.iter().filter(|task| task.is_active) {
                input.project(task, &mut blocks[task.blocks.clone()], std::iter::once((0, &mut *x)));
            }
        }
    }

    /// As [`Chunked::project`], on several threads.
    fn project_on_threads(&mut self, x: &mut [Packed], passes: u32, input: &Input<'_, B>) {
        let (mut x, mut blocks, mut taken) = (x, &mut *self.blocks, 0);
        let owned: [Padded<Mutex<Owned<'_, B>>>; MOST_CHUNKS] = std::array::from_fn(|chunk| {
            let Some(&end) = self.ends.get(chunk) else { return Padded::default() };
            let slots = self.chunks.slots_of(chunk);
            let (own_x, other_x) = std::mem::take(&mut x).split_at_mut(slots.len());
            let (own_blocks, other_blocks) = std::mem::take(&mut blocks).split_at_mut(end - taken);
            (x, blocks) = (other_x, other_blocks);
            let own = Owned { first_slot: slots.start, x: own_x, first_block: taken, blocks: own_blocks };
            taken = end;
            Padded(Mutex::new(own))
        });
        let work = Work {
            input,
            tasks: &self.tasks,
            turns: &self.turns,
            workers: self.chunks.workers(),
            passes: passes as usize,
            owned: &owned,
            done: std::array::from_fn(|_| Padded(AtomicU32::new(0))),
            lists: std::array::from_fn(|_| List::default()),
            has_failed: AtomicBool::new(false),
        };
        spread(0..self.chunks.workers(), &|worker| work.help(worker));
    }
}

/// The threads of the pool that the caller runs in; one outside any.
fn workers() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

/// Calls `work` for each number, on several threads if they are free.
fn spread(numbers: Range<usize>, work: &(impl Fn(usize) + Sync)) {
    if numbers.len() == 1 {
        return work(numbers.start);
    }
    let middle = numbers.start + numbers.len() / 2;
    rayon::join(|| spread(numbers.start..middle, work), || spread(middle..numbers.end, work));
}

/// Divides two slices of a length into a piece for each worker, and calls `work` with the number of the first
/// item of each, and both.
pub(crate) fn side_by_side<A: Send, B: Send>(
    chunks: &Chunks,
    a: &mut [A],
    b: &mut [B],
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    fn split<A: Send, B: Send>(
        pieces: usize,
        first: usize,
        a: &mut [A],
        b: &mut [B],
        work: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
    ) {
        if pieces <= 1 {
            return work(first, a, b);
        }
        let (left, middle) = (pieces / 2, a.len() * (pieces / 2) / pieces);
        let ((a, after_a), (b, after_b)) = (a.split_at_mut(middle), b.split_at_mut(middle));
        let right = || split(pieces - left, first + middle, after_a, after_b, work);
        rayon::join(|| split(left, first, a, b, work), right);
    }
    let pieces = if a.len() < LEAST_ITEMS || workers() == 1 { 1 } else { chunks.workers() };
    split(pieces, 0, a, b, &work);
}

/// In cache lines of its own, so that threads that look at neighbours do not wait for each other.
#[derive(Default)]
#[repr(align(128))]
struct Padded<T>(T);

/// What a thread has for itself while it works on a chunk.
struct Owned<'a, B> {
    first_slot: usize,
    x: &'a mut [Packed],
    first_block: usize,
    blocks: &'a mut [B],
}

impl<B> Default for Owned<'_, B> {
    fn default() -> Self {
        Self { first_slot: 0, x: &mut [], first_block: 0, blocks: &mut [] }
    }
}

/// The tasks of a worker. Until it comes, others work on them when they have to wait.
#[derive(Default)]
#[repr(align(128))]
struct List {
    has_come: AtomicBool,
    /// The number of tasks, of all workers, that have been looked at.
    next: Mutex<usize>,
}

/// What all workers share.
struct Work<'a, B: ConstraintBlock> {
    input: &'a Input<'a, B>,
    tasks: &'a [Task],
    turns: &'a [u32],
    workers: usize,
    passes: usize,
    owned: &'a [Padded<Mutex<Owned<'a, B>>>; MOST_CHUNKS],
    /// How many tasks of each chunk have ended.
    done: [Padded<AtomicU32>; MOST_CHUNKS],
    lists: [List; MOST_WORKERS],
    /// Whether a worker has panicked: its tasks will never end.
    has_failed: AtomicBool,
}

impl<B: ConstraintBlock> Work<'_, B> {
    /// Works until everything has ended.
    fn help(&self, worker: usize) {
        let _guard = FailureGuard(&self.has_failed);
        self.lists[worker].has_come.store(true, Ordering::Relaxed);
        let mut tries = 0;
        while !self.work_on(worker, worker) {
            let others = (0..self.workers).filter(|&other| other != worker);
            others.for_each(|other| {
                self.work_on(other, worker);
            });
            if self.has_failed.load(Ordering::Relaxed) {
                return;
            }
            tries += 1;
            if tries < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }

    /// Runs tasks of a list until one has to wait; whether none is left.
    fn work_on(&self, list: usize, worker: usize) -> bool {
        let is_left = || list != worker && self.lists[list].has_come.load(Ordering::Relaxed);
        if is_left() {
            return false;
        }
        let Ok(mut next) = self.lists[list].next.try_lock() else { return false };
        while *next < self.passes * self.tasks.len() {
            let task = &self.tasks[*next % self.tasks.len()];
            if task.chunks.worker() == list {
                if is_left() || !self.is_due(task, (*next / self.tasks.len()) as u32) {
                    return false;
                }
                self.run(task);
            }
            *next += 1;
        }
        true
    }

    /// Whether all tasks before a task of a pass have ended.
    fn is_due(&self, task: &Task, pass: u32) -> bool {
        task.chunks.iter().zip(task.turns).all(|(chunk, turn)| {
            self.done[chunk].0.load(Ordering::Acquire) == pass * self.turns[chunk] + turn
        })
    }

    /// Runs a task that is due: no other worker is in its chunks.
    fn run(&self, task: &Task) {
        if task.is_active {
            let mut guards = [const { None }; MOST_SHARED];
            for (guard, chunk) in guards.iter_mut().zip(task.chunks.iter()) {
                *guard = Some(self.owned[chunk].0.lock().unwrap_or_else(PoisonError::into_inner));
            }
            let (mut lent, mut blocks): ([_; MOST_SHARED], &mut [B]) =
                ([const { None }; MOST_SHARED], &mut []);
            for (place, guard) in guards.iter_mut().flatten().enumerate() {
                let Owned { first_slot, x, first_block, blocks: own } = &mut **guard;
                lent[place] = Some((*first_slot, &mut **x));
                if place == 0 {
                    blocks = &mut own[task.blocks.start - *first_block..task.blocks.end - *first_block];
                }
            }
            self.input.project(task, blocks, lent.into_iter().flatten());
        }
        for chunk in task.chunks.iter() {
            self.done[chunk].0.fetch_add(1, Ordering::Release);
        }
    }
}

/// Notes that the thread panics, so that others do not wait for it.
struct FailureGuard<'a>(&'a AtomicBool);

impl Drop for FailureGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The vertex of a number in the blocks of a task.
fn vertex_of(chunks: &Chunks, task: &Task, id: u32) -> u32 {
    let (chunk, slot) = parts(id);
    chunks.vertices()[chunks.slots_of(task.chunks.numbers[chunk] as usize).start + slot]
}

/// What is the same for all blocks of a projection.
struct Input<'a, B: ConstraintBlock> {
    chunks: &'a Chunks,
    x_t0: &'a [Packed],
    level: Level,
    pass: B::Pass,
}

impl<B: ConstraintBlock> Input<'_, B> {
    /// Projects the blocks of a task, whose chunks are among the positions that are given: consecutive slots
    /// with the number of the first, in order.
    fn project<'x>(&self, task: &Task, blocks: &mut [B], x: impl Iterator<Item = (usize, &'x mut [Packed])>) {
        let pass = self.pass;
        let x = pick(x, task.chunks.iter().map(|chunk| self.chunks.slots_of(chunk)));
        let x_t0 = |place: usize| &self.x_t0[self.chunks.slots_of(task.chunks.numbers[place] as usize)];
        if task.chunks.count == 1 {
            let (x, x_t0) = (&mut *x[0], x_t0(0));
            dispatch!(self.level, simd => project_all(simd, blocks, x, x_t0, pass));
        } else {
            let (mut x, x_t0) = (SomeChunks(x), SomeChunks([x_t0(0), x_t0(1), x_t0(2), x_t0(3)]));
            dispatch!(self.level, simd => project_all(simd, blocks, &mut x, &x_t0, pass));
        }
    }
}

#[inline(always)]
fn project_all<S: Instructions, B: ConstraintBlock, X, X0>(
    simd: S,
    blocks: &mut [B],
    x: &mut X,
    x_t0: &X0,
    pass: B::Pass,
) where
    X: IndexMut<usize, Output = Packed> + ?Sized,
    X0: Index<usize, Output = Packed> + ?Sized,
{
    for block in blocks {
        let ids = block.corners()[0];
        in_parts(
            simd,
            &ids,
            #[inline(always)]
            |part| block.project(simd, part, PositionPair { x: &mut *x, x_t0 }, pass),
        );
    }
}

/// Takes ranges of slots, ascending, out of positions: consecutive slots with the number of the first.
fn pick<'a>(
    from: impl Iterator<Item = (usize, &'a mut [Packed])>,
    wanted: impl Iterator<Item = Range<usize>>,
) -> [&'a mut [Packed]; MOST_SHARED] {
    let mut picked: [&mut [Packed]; MOST_SHARED] = Default::default();
    let mut places = wanted.zip(&mut picked).peekable();
    for (mut first, mut x) in from {
        while let Some((slots, place)) = places.next_if(|(slots, _)| slots.end <= first + x.len()) {
            let (one, after) = std::mem::take(&mut x)[slots.start - first..].split_at_mut(slots.len());
            (*place, x, first) = (one, after, slots.end);
        }
    }
    picked
}

/// The positions of several chunks, by the numbers of vertices in them.
struct SomeChunks<P>([P; MOST_SHARED]);

impl<P: Deref<Target = [Packed]>> Index<usize> for SomeChunks<P> {
    type Output = Packed;

    #[inline(always)]
    fn index(&self, id: usize) -> &Packed {
        let (chunk, slot) = parts(id as u32);
        &self.0[chunk][slot]
    }
}

impl<P: DerefMut<Target = [Packed]>> IndexMut<usize> for SomeChunks<P> {
    #[inline(always)]
    fn index_mut(&mut self, id: usize) -> &mut Packed {
        let (chunk, slot) = parts(id as u32);
        &mut self.0[chunk][slot]
    }
}

#[cfg(test)]
mod tests;
