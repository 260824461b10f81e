//! Groups against the obvious version: one group after the other, with checked indices.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, mpsc};

use cloth_disjoint::{Groups, IndexError, MOST_PARTS, Parts, Passes, Slices};
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

/// Groups of three items in each of four lanes, with a number.
type Group = ([[u32; 4]; 3], f32);

/// Items with their parts, and tasks of groups in order.
#[derive(Clone, Debug)]
struct Tasks {
    parts: Vec<u8>,
    tasks: Vec<Vec<Group>>,
}

/// Most items of a random case; fewer under an interpreter, which is a thousand times slower.
const ITEMS: usize = if cfg!(miri) { 24 } else { 60 };

fn tasks() -> impl Strategy<Value = Tasks> {
    let parts = (1..=MOST_PARTS).prop_flat_map(|count| prop::collection::vec(0..count as u8, 12..ITEMS));
    parts.prop_flat_map(|parts| {
        let all: Vec<u32> = (0..parts.len() as u32).collect();
        // Lanes without an item in common; the last ones may be copies.
        let group =
            (Just(all).prop_shuffle(), 1..=4_usize, -1.0_f32..1.0).prop_map(|(items, lanes, number)| {
                let lane = |l: usize| l.min(lanes - 1);
                ([0, 1, 2].map(|k| [0, 1, 2, 3].map(|l| items[3 * lane(l) + k])), number)
            });
        let tasks = prop::collection::vec(prop::collection::vec(group, 0..4), 0..20);
        tasks.prop_map(move |tasks| Tasks { parts: parts.clone(), tasks })
    })
}

impl Tasks {
    fn parts(&self) -> Parts {
        Parts::new(self.parts.clone()).unwrap()
    }

    fn groups(&self) -> Groups<f32, 3, 4> {
        let (parts, mut groups) = (self.parts(), Groups::default());
        let mut fill = groups.refill(&parts);
        self.tasks.iter().for_each(|task| fill.task(task.iter().copied()).unwrap());
        groups
    }

    /// Numbers of all items.
    fn items(&self, factor: usize) -> Vec<f32> {
        (0..self.parts.len()).map(|i| ((i * factor) % 101) as f32 * 0.01).collect()
    }
}

/// What becomes of an item with the sum of its group: depends on the order.
fn changed(item: f32, sum: f32, number: f32) -> f32 {
    0.5 * item + 0.1 * sum + number
}

/// One group after the other, with checked indices. The number of a group is halved in each pass.
fn reference(tasks: &mut [Vec<Group>], items: &mut [f32], starts: &[f32], passes: u32) {
    for _ in 0..passes {
        for (ids, number) in tasks.iter_mut().flatten() {
            for l in (0..4).filter(|&l| l == 0 || ids[0][l] != ids[0][l - 1]) {
                let own = [0, 1, 2].map(|k| ids[k][l] as usize);
                let sum: f32 = own.iter().map(|&i| items[i] + starts[i]).sum();
                own.iter().for_each(|&i| items[i] = changed(items[i], sum, *number));
            }
            *number *= 0.5;
        }
    }
}

fn project(groups: &mut Groups<f32, 3, 4>, slices: Slices<'_, f32>, passes: Passes) {
    groups.project(slices, passes, |task| {
        task.for_each(|number, at| {
            let ids = at.ids()[0];
            for l in (0..4).filter(|&l| l == 0 || ids[l] != ids[l - 1]) {
                let sum: f32 = (0..3).map(|k| at.get(k, l) + at.start(k, l)).sum();
                (0..3).for_each(|k| at.set(k, l, changed(*at.get(k, l), sum, *number)));
            }
            *number *= 0.5;
        });
    });
}

fn pool(threads: usize) -> rayon::ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Numbers of threads that cases are done with.
const THREADS: &[usize] = if cfg!(miri) { &[1, 2] } else { &[1, 2, 3, 8] };

/// A chain of pairs, in parts of two neighbours, pair by pair.
fn chain(items: usize) -> Groups<f32, 2, 1> {
    let part = |i: usize| (i * MOST_PARTS / items) as u8;
    let parts = Parts::new((0..items).map(part).collect()).unwrap();
    let mut groups = Groups::default();
    let mut fill = groups.refill(&parts);
    for colour in [0, 1] {
        let pairs = (colour..items as u32 - 1).step_by(2);
        pairs.for_each(|i| fill.task([([[i], [i + 1]], 1.0)]).unwrap());
    }
    groups
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 200 }, ..ProptestConfig::default() })]

    #[test]
    fn threads_change_no_bit_of_the_reference(tasks in tasks(), passes in 0..4_u32) {
        let (mut expected, starts) = (tasks.items(7919), tasks.items(31));
        reference(&mut tasks.tasks.clone(), &mut expected, &starts, passes);
        for &threads in THREADS {
            let (mut groups, mut items) = (tasks.groups(), tasks.items(7919));
            let slices = Slices { items: &mut items, starts: &starts };
            pool(threads).install(|| project(&mut groups, slices, Passes { count: passes, threads }));
            prop_assert!(items == expected, "{} threads", threads);
        }
    }

    #[test]
    fn what_is_selected_keeps_its_order_and_its_tasks(tasks in tasks(), least in -1.0_f32..1.0) {
        let some: Vec<Vec<Group>> = tasks.tasks.iter().map(|task| {
            task.iter().filter(|group| group.1 >= least).map(|group| (group.0, 2.0 * group.1)).collect()
        }).collect();
        let (mut expected, starts) = (tasks.items(7919), tasks.items(31));
        reference(&mut some.clone(), &mut expected, &starts, 2);
        for &threads in THREADS {
            let (mut groups, mut chosen, mut items) = (tasks.groups(), Groups::default(), tasks.items(7919));
            let first = items.clone();
            let selected = |number: &mut f32, at: &cloth_disjoint::Access<'_, f32, 3, 4>| {
                assert_eq!(*at.get(2, 3), first[at.ids()[2][3] as usize]);
                (*number >= least).then_some(2.0 * *number)
            };
            pool(threads).install(|| {
                chosen.select(&mut groups, &items, threads, selected);
                assert!(chosen.iter_mut().map(|(ids, number)| (*ids, *number)).eq(some.iter().flatten().copied()));
                let slices = Slices { items: &mut items, starts: &starts };
                project(&mut chosen, slices, Passes { count: 2, threads });
            });
            prop_assert!(items == expected, "{} threads", threads);
        }
    }

    #[test]
    fn wrong_indices_are_refused_where_they_are_stored(tasks in tasks(), k in 0..3_usize, l in 0..4_usize) {
        let (parts, items) = (tasks.parts(), tasks.parts.len());
        let good = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]];
        let (mut beyond, mut twice) = (good, good);
        beyond[k][l] = items as u32;
        twice[k][l] = good[(k + 1) % 3][(l + k) % 4];
        let mut groups = Groups::<f32, 3, 4>::default();
        let mut fill = groups.refill(&parts);
        fill.task([(good, 1.0)]).unwrap();
        let error = IndexError::Beyond(items as u32, items);
        prop_assert_eq!(fill.task([(good, 1.0), (beyond, 1.0)]), Err(error));
        let item = twice[k][l];
        prop_assert_eq!(fill.task([(good, 1.0), (twice, 1.0)]), Err(IndexError::Twice(item)));
        prop_assert!(groups.count() == 0, "an error leaves no groups");
    }
}

#[test]
fn parts_that_do_not_exist_are_refused() {
    let part = MOST_PARTS as u8;
    assert_eq!(Parts::new(vec![0, part, 3]).unwrap_err(), IndexError::Part(part));
    assert!(Parts::new(vec![part - 1]).is_ok());
}

#[test]
fn items_that_groups_were_not_stored_for_are_refused() {
    let mut groups = chain(MOST_PARTS);
    for (items, starts) in [(MOST_PARTS - 1, MOST_PARTS), (MOST_PARTS, MOST_PARTS + 1)] {
        let (mut items, starts) = (vec![0.0_f32; items], vec![0.0; starts]);
        let slices = Slices { items: &mut items, starts: &starts };
        let work =
            || groups.project(slices, Passes { count: 1, threads: 1 }, |task| task.for_each(|_, _| {}));
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    }
    let mut chosen = Groups::<f32, 2, 1>::default();
    let work = || chosen.select(&mut groups, &[0.0; 3], 1, |number, _| Some(*number));
    assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
}

#[test]
fn tasks_that_are_not_chosen_are_left_out() {
    let mut groups = chain(100);
    groups.choose_tasks(|ids| ids[0][0] < 10);
    assert_eq!(groups.chosen().count(), 10);
    let (mut items, starts) = (vec![0.0_f32; 100], vec![0.0; 100]);
    let slices = Slices { items: &mut items, starts: &starts };
    let count = |task: cloth_disjoint::Task<'_, f32, f32, 2, 1>| {
        task.for_each(|_, at| at.set(0, 0, *at.get(0, 0) + 1.0));
    };
    pool(2).install(|| groups.project(slices, Passes { count: 3, threads: 2 }, count));
    assert!((0..100).all(|i| items[i] == if i < 10 { 3.0 } else { 0.0 }), "{items:?}");
}

/// Counts, in both items of each pair, how often the pair was done.
fn count(groups: &mut Groups<f32, 2, 1>, items: &mut [f32], passes: Passes) {
    let starts = vec![0.0; items.len()];
    groups.project(Slices { items, starts: &starts }, passes, |task| {
        task.for_each(|_, at| (0..2).for_each(|k| at.set(k, 0, *at.get(k, 0) + 1.0)));
    });
}

#[test]
fn threads_that_are_busy_with_something_else_are_not_waited_for() {
    let (mut groups, mut items) = (chain(1000), vec![0.0; 1000]);
    let pool = pool(3);
    let (release, held) = (mpsc::channel::<()>(), mpsc::channel());
    let gate = Mutex::new(release.1);
    pool.in_place_scope(|scope| {
        for _ in 0..2 {
            let (gate, held) = (&gate, held.0.clone());
            scope.spawn(move |_| {
                held.send(()).unwrap();
                // Until the sender is dropped.
                let _ = gate.lock().unwrap().recv();
            });
        }
        (0..2).for_each(|_| held.1.recv().unwrap());
        pool.install(|| count(&mut groups, &mut items, Passes { count: 2, threads: 3 }));
        assert_eq!(items.iter().sum::<f32>(), 4.0 * 999.0, "two items in two passes");
        drop(release.0);
    });
}

#[test]
fn a_panic_on_a_thread_ends_all_of_them() {
    for at in [0, 500, 998] {
        let (mut groups, mut items, starts) = (chain(1000), vec![0.0_f32; 1000], vec![0.0; 1000]);
        let slices = Slices { items: &mut items, starts: &starts };
        let work = || {
            pool(2).install(|| {
                groups.project(slices, Passes { count: 3, threads: 2 }, |task| {
                    task.for_each(|_, items| assert!(items.ids()[0][0] != at, "on purpose"));
                });
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
        items.fill(0.0);
        pool(2).install(|| count(&mut groups, &mut items, Passes { count: 1, threads: 2 }));
        assert_eq!(items.iter().sum::<f32>(), 2.0 * 999.0, "what is left can be used");
    }
}
