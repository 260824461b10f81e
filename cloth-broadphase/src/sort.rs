//! Sorts 32-bit keys with their items, byte by byte: the radix sort that the NvCloth text names.
//!
//! Four passes of 256 bins, stable, so that equal keys keep the order of their items and the outcome is the
//! same everywhere. A pass in which all keys have the same byte is left out.

/// A key and the item it belongs to.
pub(crate) type Keyed = (u32, u32);

/// Sorts by key; `spare` is room that is kept from one sort to the next.
pub(crate) fn sort_by_key(items: &mut Vec<Keyed>, spare: &mut Vec<Keyed>) {
    let mut counts = [[0u32; 256]; 4];
    for &(key, _) in &*items {
        for (count, byte) in counts.iter_mut().zip(key.to_le_bytes()) {
            count[usize::from(byte)] += 1;
        }
    }
    spare.clear();
    spare.resize(items.len(), (0, 0));
    for (pass, count) in counts.iter().enumerate() {
        let same = items
            .first()
            .is_none_or(|&(key, _)| count[usize::from(key.to_le_bytes()[pass])] as usize == items.len());
        if !same {
            scatter(items, spare, pass, count);
            std::mem::swap(items, spare);
        }
    }
}

fn scatter(from: &[Keyed], to: &mut [Keyed], pass: usize, count: &[u32; 256]) {
    let mut next = [0u32; 256];
    for bin in 1..256 {
        next[bin] = next[bin - 1] + count[bin - 1];
    }
    for &item in from {
        let place = &mut next[usize::from(item.0.to_le_bytes()[pass])];
        to[*place as usize] = item;
        *place += 1;
    }
}

/// A key whose order is that of the number; the two zeros are neighbours.
pub(crate) fn key_of(number: f32) -> u32 {
    let bits = number.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_a_stable_sort_does() {
        let key = |i: u32| {
            i.wrapping_mul(0x9e37_79b9).rotate_left(i) & [0xff, 0xffff_ffff, 0x00ff_ff00][i as usize % 3]
        };
        for count in [0, 1, 2, 300, 5000] {
            let mut items: Vec<Keyed> = (0..count).map(|i| (key(i), i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_by_key(&mut items, &mut Vec::new());
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn keys_are_in_the_order_of_their_numbers() {
        let numbers = [-f32::MAX, -1.0, -1e-45, -0.0, 0.0, 1e-45, 0.5, 1.0, f32::MAX];
        assert!(numbers.map(key_of).is_sorted());
    }
}
