//! Graph colouring of constraints: the solving order, in which consecutive constraints share no vertex.
//!
//! In mesh order every Gauss-Seidel constraint waits for the one before it, which has just written one of its
//! vertices. Within a colour nothing waits, so the processor overlaps several constraints. The order is part
//! of the result: threads and SIMD have to keep it.

/// The most colours: a bit each in the mask of a vertex. Items beyond share the last.
const COLOURS: usize = 64;

/// A permutation that groups items by colour; colours are assigned greedily in item order.
///
/// `vertices(i)` are the vertices of item `i`, each below `vertex_count`. Items within a colour keep their
/// order.
pub(crate) fn colour_order<const N: usize>(
    vertex_count: usize,
    items: &[impl Copy],
    vertices: impl Fn(usize) -> [u32; N],
) -> Vec<usize> {
    let mut used = vec![0u64; vertex_count];
    let mut counts = [0; COLOURS];
    let mut colour_of = |item: usize| {
        let vertices = vertices(item);
        let taken = vertices.iter().fold(0, |mask, &v| mask | used[v as usize]);
        let colour = taken.trailing_ones().min(COLOURS as u32 - 1);
        for v in vertices {
            used[v as usize] |= 1 << colour;
        }
        counts[colour as usize] += 1;
        colour as u8
    };
    let colours: Vec<u8> = (0..items.len()).map(&mut colour_of).collect();
    let mut next = [0; COLOURS];
    (1..COLOURS).for_each(|colour| next[colour] = next[colour - 1] + counts[colour - 1]);
    let mut order = vec![0; items.len()];
    for (item, colour) in colours.into_iter().enumerate() {
        let place = &mut next[usize::from(colour)];
        order[*place] = item;
        *place += 1;
    }
    order
}

/// The items in the order of [`colour_order`].
pub(crate) fn coloured<T: Copy, const N: usize>(
    vertex_count: usize,
    items: &[T],
    vertices: impl Fn(&T) -> [u32; N],
) -> Vec<T> {
    let order = colour_order(vertex_count, items, |i| vertices(&items[i]));
    order.into_iter().map(|i| items[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_a_colour_share_no_vertex() {
        let chain: Vec<[u32; 2]> = (0..6).map(|i| [i, i + 1]).collect();
        let order = coloured(7, &chain, |&c| c);
        assert_eq!(order, [[0, 1], [2, 3], [4, 5], [1, 2], [3, 4], [5, 6]]);
    }

    #[test]
    fn keeps_every_item_even_with_more_than_64_at_one_vertex() {
        let star: Vec<[u32; 2]> = (1..200).map(|i| [0, i]).collect();
        let mut order = coloured(200, &star, |&c| c);
        order.sort_unstable();
        assert_eq!(order, star);
    }
}
