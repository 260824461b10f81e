//! `map` of an array for hot loops.

/// `map` of an array, always inlined.
///
/// The compiler does not inline [`array::map`](https://doc.rust-lang.org/std/primitive.array.html#method.map)
/// everywhere: in a loop over constraints or contacts it costs a call, and passes its numbers through memory.
pub trait MapInline<T, const N: usize> {
    /// The results of `of` for each item, in order.
    fn map_inline<U>(self, of: impl FnMut(T) -> U) -> [U; N];
}

macro_rules! map_inline {
    ($count:literal: $($item:ident)*) => {
        impl<T> MapInline<T, $count> for [T; $count] {
            #[inline(always)]
            fn map_inline<U>(self, mut of: impl FnMut(T) -> U) -> [U; $count] {
                let [$($item),*] = self;
                [$(of($item)),*]
            }
        }
    };
}

map_inline!(2: a b);
map_inline!(3: a b c);
map_inline!(4: a b c d);
map_inline!(8: a b c d e f g h);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_each_item_once_and_in_order() {
        let mut seen = Vec::new();
        let mapped = [3, 1, 2].map_inline(|x| {
            seen.push(x);
            10 * x
        });
        assert_eq!((mapped, seen), ([30, 10, 20], vec![3, 1, 2]));
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map_inline(|x| x + 1), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
