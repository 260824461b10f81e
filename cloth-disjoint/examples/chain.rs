//! A chain of springs that is pulled straight, with one thread and with several: the bits are equal.

use cloth_disjoint::{Groups, MOST_PARTS, Parts, Passes, Slices};

const ITEMS: usize = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parts = Parts::new((0..ITEMS).map(|i| (i * MOST_PARTS / ITEMS) as u8).collect())?;
    // Every second spring, then the others: within a colour no two springs share an item. A task of 100
    // springs has one part, or two where it lies between them.
    let mut springs = Groups::<f32, 2, 1>::default();
    let mut fill = springs.refill(&parts);
    for colour in [0, 1] {
        let firsts: Vec<u32> = (colour..ITEMS as u32 - 1).step_by(2).collect();
        for firsts in firsts.chunks(100) {
            fill.task(firsts.iter().map(|&i| ([[i], [i + 1]], 1.0)))?;
        }
    }

    let start: Vec<f32> = (0..ITEMS).map(|i| 1.1 * i as f32).collect();
    let chain = |threads| {
        let (mut springs, mut x) = (springs.clone(), start.clone());
        let slices = Slices { items: &mut x, starts: &start };
        springs.project(slices, Passes { count: 200, threads }, |task| {
            task.for_each(|rest, at| {
                let (a, b) = (*at.get(0, 0), *at.get(1, 0));
                let push = 0.5 * (*rest - (b - a));
                at.set(0, 0, a - push);
                at.set(1, 0, b + push);
            });
        });
        x
    };
    let alone = chain(1);
    println!("{} springs in {} parts", springs.count(), MOST_PARTS);
    println!("length {} before, {} after", start[ITEMS - 1], alone[ITEMS - 1] - alone[0]);
    for threads in [2, 4, 8] {
        let is_equal = chain(threads).iter().zip(&alone).all(|(a, b)| a.to_bits() == b.to_bits());
        println!("{threads} threads: {}", if is_equal { "the same bits" } else { "DIFFERENT" });
    }
    Ok(())
}
