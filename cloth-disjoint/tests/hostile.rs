//! What safe code may try: panics at every point, and sizes of none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use cloth_disjoint::{Groups, Parts, Passes, Slices};

/// Panics when it is dropped, if that is wanted.
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.0 || std::thread::panicking(), "on purpose");
    }
}

/// Two tasks of one group, the first of which panics when it is dropped.
fn bombs(parts: &Parts) -> Groups<Bomb, 1, 1> {
    let mut groups = Groups::default();
    let mut fill = groups.refill(parts);
    fill.task([([[0]], Bomb(true))]).unwrap();
    fill.task([([[1]], Bomb(false))]).unwrap();
    groups
}

/// How often work is called for items of a number.
fn calls<B: Send, const N: usize, const L: usize>(
    groups: &mut Groups<B, N, L>,
    items: usize,
    threads: usize,
) -> usize {
    let (calls, starts) = (AtomicUsize::new(0), vec![0_u8; items]);
    let slices = Slices { items: &mut starts.clone(), starts: &starts };
    groups.project(slices, Passes { count: 1, threads }, |_| {
        calls.fetch_add(1, Ordering::Relaxed);
    });
    calls.into_inner()
}

#[test]
fn a_drop_that_panics_leaves_no_tasks() {
    let (parts, none) = (Parts::new(vec![0, 1]).unwrap(), Parts::default());
    let mut groups = bombs(&parts);
    assert!(catch_unwind(AssertUnwindSafe(|| _ = groups.refill(&none))).is_err());
    let items = groups.items();
    assert_eq!(calls(&mut groups, items, 1), 0);

    let mut groups = Groups::default();
    let fails = || {
        let mut fill = groups.refill(&parts);
        fill.task([([[0]], Bomb(true))]).unwrap();
        let _ = fill.task([([[7]], Bomb(false))]);
    };
    assert!(catch_unwind(AssertUnwindSafe(fails)).is_err());
    let items = groups.items();
    assert_eq!(calls(&mut groups, items, 1), 0);
}

#[test]
fn an_iterator_that_panics_leaves_the_tasks_before_it() {
    let parts = Parts::new(vec![0, 1]).unwrap();
    let mut groups = Groups::<u8, 1, 1>::default();
    let mut fill = groups.refill(&parts);
    fill.task([([[0]], 3)]).unwrap();
    let panics = (0..2).map(|i| if i == 0 { ([[1]], 4) } else { panic!("on purpose") });
    assert!(catch_unwind(AssertUnwindSafe(|| fill.task(panics))).is_err());
    fill.task([([[1]], 5)]).unwrap();
    assert!(groups.iter_mut().map(|(ids, data)| (ids[0][0], *data)).eq([(0, 3), (1, 5)]));
    assert_eq!([1, 2].map(|threads| calls(&mut groups, 2, threads)), [2, 2]);
}

#[test]
fn parts_whose_change_panics_are_gone() {
    let mut parts = Parts::new(vec![0, 1]).unwrap();
    let change = |of: &mut Vec<u8>| {
        of[0] = 200;
        panic!("on purpose")
    };
    assert!(catch_unwind(AssertUnwindSafe(|| parts.update(change))).is_err());
    assert_eq!(parts.of_items(), [0_u8; 0]);
}

#[test]
fn a_choice_that_panics_leaves_no_tasks() {
    let parts = Parts::new(vec![0, 1]).unwrap();
    let (mut groups, mut chosen) = (Groups::<u8, 1, 1>::default(), Groups::<u8, 1, 1>::default());
    let mut fill = groups.refill(&parts);
    (0..2).for_each(|i| fill.task([([[i]], i as u8)]).unwrap());
    chosen.select(&mut groups, &[0; 2], 1, |data, _| Some(*data));
    assert_eq!(chosen.count(), 2);
    for threads in [1, 2] {
        let choose = |data: &mut u8| if *data == 0 { Some(*data) } else { panic!("on purpose") };
        let select = || chosen.select(&mut groups, &[0; 2], threads, |data, _| choose(data));
        assert!(catch_unwind(AssertUnwindSafe(select)).is_err());
        assert_eq!((chosen.count(), calls(&mut chosen, 2, 1)), (0, 0));
    }
    assert_eq!(calls(&mut groups, 2, 2), 2, "what was chosen from stays");
}

#[test]
fn what_is_selected_from_a_selection_keeps_its_places() {
    let parts = Parts::new(vec![0; 8]).unwrap();
    let [mut all, mut even, mut last] = [(); 3].map(|()| Groups::<u32, 1, 1>::default());
    let mut fill = all.refill(&parts);
    for first in [0, 4] {
        fill.task((first..first + 4).map(|i| ([[i]], i))).unwrap();
    }
    for threads in [1, 3] {
        even.select(&mut all, &[0_u8; 8], threads, |&mut i, _| (i % 2 == 0).then_some(i));
        last.select(&mut even, &[0_u8; 8], threads, |&mut i, _| (i > 3).then_some(i));
        assert!(even.iter_mut().map(|(_, data)| *data).eq([0, 2, 4, 6]));
        assert!(last.iter_mut().map(|(ids, data)| (ids[0][0], *data)).eq([(4, 4), (6, 6)]));
    }
}

#[test]
fn threads_change_no_calls_for_tasks_without_items() {
    let parts = Parts::new(vec![0]).unwrap();
    let mut empty = Groups::<u8, 1, 1>::default();
    let mut fill = empty.refill(&parts);
    fill.task([]).unwrap();
    fill.task([([[0]], 1)]).unwrap();
    assert_eq!(calls(&mut empty, 1, 1), calls(&mut empty, 1, 2));

    let mut no_corners = Groups::<u8, 0, 1>::default();
    no_corners.refill(&parts).task([([], 1), ([], 2)]).unwrap();
    assert_eq!(calls(&mut no_corners, 1, 1), calls(&mut no_corners, 1, 2));

    let mut no_lanes = Groups::<u8, 1, 0>::default();
    no_lanes.refill(&parts).task([([[]], 1)]).unwrap();
    assert_eq!(calls(&mut no_lanes, 1, 1), calls(&mut no_lanes, 1, 2));
}

#[test]
fn any_number_of_threads_does_tasks_once() {
    let parts = Parts::new(vec![0, 31]).unwrap();
    let mut groups = Groups::<u8, 2, 1>::default();
    groups.refill(&parts).task([([[0], [1]], 1)]).unwrap();
    for threads in [0, 1, 32, 33, usize::MAX] {
        assert_eq!(calls(&mut groups, 2, threads), 1, "{threads} threads");
    }
    assert_eq!(calls(&mut Groups::<u8, 2, 1>::default(), 0, 9), 0);
}
