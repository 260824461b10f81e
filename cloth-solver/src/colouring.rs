//! Graph colouring of constraints: the solving order, in which consecutive constraints share no vertex.
//!
//! In mesh order every Gauss-Seidel constraint waits for the one before it, which has just written one of its
//! vertices. Within a colour nothing waits, so the processor overlaps several constraints. The order is part
//! of the result: threads and SIMD have to keep it.

/// The most colours: a bit each in the mask of a vertex. Items beyond share the last.
const COLOURS: usize = 64;

/// The colour of each item, assigned greedily in item order.
///
/// `vertices(i)` are the vertices of item `i`, each below `vertex_count`.
pub(crate) fn colours<const N: usize>(
    vertex_count: usize,
    items: usize,
    vertices: impl Fn(usize) -> [u32; N],
) -> Vec<u8> {
    let mut used = vec![0u64; vertex_count];
    let colour_of = |item: usize| {
        let vertices = vertices(item);
        let taken = vertices.iter().fold(0, |mask, &v| mask | used[v as usize]);
        let colour = taken.trailing_ones().min(COLOURS as u32 - 1);
        for v in vertices {
            used[v as usize] |= 1 << colour;
        }
        colour as u8
    };
    (0..items).map(colour_of).collect()
}

/// The numbers of items by colour, and within one in their order.
pub(crate) fn by_colour(colours: &[u8]) -> Vec<u32> {
    let mut ends = [0_usize; COLOURS + 1];
    colours.iter().for_each(|&colour| ends[colour as usize + 1] += 1);
    (0..COLOURS).for_each(|colour| ends[colour + 1] += ends[colour]);
    let mut order = vec![0; colours.len()];
    for (item, &colour) in (0..).zip(colours) {
        let place = &mut ends[colour as usize];
        order[*place] = item;
        *place += 1;
    }
    order
}

/// The items by colour, and within one in their order.
pub(crate) fn coloured<T: Copy, const N: usize>(
    vertex_count: usize,
    items: &[T],
    vertices: impl Fn(&T) -> [u32; N],
) -> Vec<T> {
    let colours = colours(vertex_count, items.len(), |i| vertices(&items[i]));
    by_colour(&colours).into_iter().map(|i| items[i as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_no_colour() {
        let chain: Vec<[u32; 2]> = (0..6).map(|i| [i, i + 1]).collect();
        assert_eq!(colours(7, chain.len(), |i| chain[i]), [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn items_of_a_colour_keep_their_order() {
        assert_eq!(by_colour(&[2, 0, 63, 2, 0, 1, 63]), [1, 4, 5, 0, 3, 2, 6]);
        assert!(by_colour(&[]).is_empty());
    }

    #[test]
    fn more_than_64_at_one_vertex_share_the_last_colour() {
        let star: Vec<[u32; 2]> = (1..200).map(|i| [0, i]).collect();
        let colours = colours(200, star.len(), |i| star[i]);
        assert!((0..64).eq(colours[..64].iter().copied()));
        assert!(colours[64..].iter().all(|&colour| colour == 63));
    }
}
