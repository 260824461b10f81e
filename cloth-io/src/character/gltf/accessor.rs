//! Reads accessors: typed arrays in buffers, interleaved, normalised or sparse. Every range is checked
//! against its buffer.

use std::borrow::Cow;

use super::document::{Accessor, Document};

/// The most entries of an accessor without a buffer view, which takes memory that the file does not have.
const MAX_ENTRIES: usize = 1 << 24;

/// A document and its buffers.
pub(super) struct Buffers<'a> {
    pub(super) document: &'a Document,
    pub(super) data: Vec<Result<Cow<'a, [u8]>, String>>,
}

/// The type of one number in a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u64) -> Result<Self, String> {
        Ok(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return Err(format!("the component type {code} is not known")),
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number, and if `normalized` its share of the range, as glTF 2.0 (3.11) has it. `bytes` has the
    /// size of the type.
    fn decode(self, bytes: &[u8], normalized: bool) -> f64 {
        let (value, range) = match (self, bytes) {
            (Self::I8, &[a]) => (f64::from(a as i8), 127.0),
            (Self::U8, &[a]) => (f64::from(a), 255.0),
            (Self::I16, &[a, b]) => (f64::from(i16::from_le_bytes([a, b])), 32767.0),
            (Self::U16, &[a, b]) => (f64::from(u16::from_le_bytes([a, b])), 65535.0),
            (Self::U32, &[a, b, c, d]) => (f64::from(u32::from_le_bytes([a, b, c, d])), 4_294_967_295.0),
            (Self::F32, &[a, b, c, d]) => (f64::from(f32::from_le_bytes([a, b, c, d])), 1.0),
            _ => (0.0, 1.0),
        };
        if normalized { (value / range).max(-1.0) } else { value }
    }
}

/// Numbers per entry of a type that is read.
fn width(kind: &str) -> Option<usize> {
    match kind {
        "SCALAR" => Some(1),
        "VEC2" => Some(2),
        "VEC3" => Some(3),
        "VEC4" => Some(4),
        "MAT4" => Some(16),
        _ => None,
    }
}

impl Buffers<'_> {
    /// Reads an accessor with `N` numbers an entry; `what` names it in errors.
    pub(super) fn read<const N: usize>(&self, index: usize, what: &str) -> Result<Vec<[f64; N]>, String> {
        let in_place = |problem: String| format!("{what} (accessor {index}): {problem}");
        let accessors = &self.document.accessors;
        let accessor = accessors
            .get(index)
            .ok_or_else(|| format!("{what} is accessor {index}, but there are {}", accessors.len()))?;
        if width(&accessor.kind) != Some(N) {
            return Err(in_place(format!("the type is {:?} and has to have {N} numbers", accessor.kind)));
        }
        self.read_entries(accessor).map_err(in_place)
    }

    /// Reads an accessor of whole numbers; see [`Self::read`].
    pub(super) fn read_integers<const N: usize>(
        &self,
        index: usize,
        what: &str,
    ) -> Result<Vec<[u32; N]>, String> {
        let accessor = self.document.accessors.get(index);
        if accessor.is_some_and(|a| !matches!(a.component_type, 5121 | 5123 | 5125)) {
            return Err(format!("{what} (accessor {index}) does not hold unsigned integers"));
        }
        // Exact: every u32 is an f64.
        Ok(self.read::<N>(index, what)?.into_iter().map(|entry| entry.map(|x| x as u32)).collect())
    }

    fn read_entries<const N: usize>(&self, accessor: &Accessor) -> Result<Vec<[f64; N]>, String> {
        let component = Component::from_code(accessor.component_type)?;
        let mut entries = match accessor.buffer_view {
            Some(view) => {
                self.read_array(view, accessor.byte_offset, accessor.count, component, accessor.normalized)?
            }
            None if accessor.count > MAX_ENTRIES => {
                return Err(format!(
                    "{} entries without a buffer view; at most {MAX_ENTRIES} are read",
                    accessor.count
                ));
            }
            None => vec![[0.0; N]; accessor.count],
        };
        if let Some(sparse) = &accessor.sparse {
            let (places, values) = (&sparse.indices, &sparse.values);
            let kind = Component::from_code(places.component_type)?;
            if !matches!(kind, Component::U8 | Component::U16 | Component::U32) {
                return Err("sparse indices are not unsigned integers".into());
            }
            let places: Vec<[f64; 1]> =
                self.read_array(places.buffer_view, places.byte_offset, sparse.count, kind, false)?;
            let values: Vec<[f64; N]> = self.read_array(
                values.buffer_view,
                values.byte_offset,
                sparse.count,
                component,
                accessor.normalized,
            )?;
            for ([place], value) in places.into_iter().zip(values) {
                let count = entries.len();
                *entries
                    .get_mut(place as usize)
                    .ok_or_else(|| format!("the sparse index {place} is not below {count}"))? = value;
            }
        }
        Ok(entries)
    }

    /// Entries at a distance of the view's stride, all inside the view and its buffer.
    fn read_array<const N: usize>(
        &self,
        view: usize,
        offset: usize,
        count: usize,
        component: Component,
        normalized: bool,
    ) -> Result<Vec<[f64; N]>, String> {
        let size = component.size() * N;
        let stride = match self.document.buffer_views.get(view).and_then(|v| v.byte_stride) {
            Some(stride) if stride < size => {
                return Err(format!(
                    "the stride of buffer view {view} is {stride} bytes, less than an entry of {size}"
                ));
            }
            stride => stride.unwrap_or(size),
        };
        let bytes = self.view(view)?;
        let needed = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
        let stop = needed.and_then(|needed| needed.checked_add(offset));
        let Some(bytes) = stop.and_then(|stop| bytes.get(offset..stop)) else {
            let have = bytes.len();
            return Err(format!(
                "{count} entries at byte {offset} do not fit into the {have} bytes of buffer view {view}: \
                 export the file again"
            ));
        };
        let decode = |entry: usize| {
            let at = entry * stride;
            std::array::from_fn(|i| {
                let start = at + i * component.size();
                component.decode(&bytes[start..start + component.size()], normalized)
            })
        };
        Ok((0..count).map(decode).collect())
    }

    /// The bytes of a buffer view.
    pub(super) fn view(&self, index: usize) -> Result<&[u8], String> {
        let views = &self.document.buffer_views;
        let view = views
            .get(index)
            .ok_or_else(|| format!("buffer view {index} does not exist: there are {}", views.len()))?;
        let buffer = self.data.get(view.buffer).ok_or_else(|| {
            format!("buffer view {index} is in buffer {}, but there are {}", view.buffer, self.data.len())
        })?;
        let bytes = buffer.as_ref().map_err(Clone::clone)?;
        let stop = view.byte_offset.checked_add(view.byte_length);
        stop.and_then(|stop| bytes.get(view.byte_offset..stop)).ok_or_else(|| {
            format!(
                "buffer view {index} reaches beyond the {} bytes of buffer {}: export the file again",
                bytes.len(),
                view.buffer
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One buffer of 16 bytes, 0 to 15, in one view from byte 4 on, with this stride.
    fn read<const N: usize>(accessor: &str, stride: &str) -> Result<Vec<[f64; N]>, String> {
        let text = format!(
            r#"{{"accessors": [{accessor}],
                "bufferViews": [{{"buffer": 0, "byteOffset": 4, "byteLength": 12 {stride}}}],
                "buffers": [{{"byteLength": 16}}]}}"#
        );
        let document: Document = serde_json::from_str(&text).unwrap();
        let data = vec![Ok(Cow::Owned((0..16).collect()))];
        Buffers { document: &document, data }.read(0, "it")
    }

    #[test]
    fn reads_packed_interleaved_and_normalised_entries() {
        let bytes = |count: usize, more: &str| {
            format!(r#"{{"bufferView": 0, "componentType": 5121, "count": {count}, "type": "VEC3" {more}}}"#)
        };
        assert_eq!(read(&bytes(2, ""), "").unwrap(), [[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]);
        assert_eq!(
            read(&bytes(2, r#", "byteOffset": 1"#), r#", "byteStride": 8"#).unwrap(),
            [[5.0, 6.0, 7.0], [13.0, 14.0, 15.0]]
        );
        assert_eq!(
            read(&bytes(1, r#", "normalized": true"#), "").unwrap(),
            [[4.0 / 255.0, 5.0 / 255.0, 6.0 / 255.0]]
        );
        assert!(read::<3>(&bytes(2, r#", "byteOffset": 2"#), r#", "byteStride": 8"#).is_err());
        assert!(read::<3>(&bytes(2, ""), r#", "byteStride": 2"#).is_err());
        assert!(read::<3>(&bytes(5, ""), "").is_err());
        assert!(read::<3>(&bytes(usize::MAX, ""), "").is_err());
        assert!(read::<4>(&bytes(1, ""), "").is_err());
        assert_eq!(read::<3>(&bytes(0, ""), "").unwrap(), [[0.0; 3]; 0]);
    }

    #[test]
    fn sparse_entries_replace_those_of_the_base_or_zeros() {
        let sparse = |index_offset: usize, count: usize| {
            format!(
                r#"{{"componentType": 5121, "count": {count}, "type": "SCALAR", "sparse": {{"count": 2,
                    "indices": {{"bufferView": 0, "componentType": 5121, "byteOffset": {index_offset}}},
                    "values": {{"bufferView": 0, "byteOffset": 8}}}}}}"#
            )
        };
        let mut expected = vec![[0.0]; 8];
        (expected[4], expected[5]) = ([12.0], [13.0]);
        assert_eq!(read(&sparse(0, 8), "").unwrap(), expected);
        assert!(read::<1>(&sparse(4, 8), "").is_err());
        assert!(read::<1>(&sparse(0, usize::MAX), "").is_err());
    }

    #[test]
    fn the_lowest_signed_numbers_are_normalised_to_minus_one() {
        assert_eq!(Component::I8.decode(&[0x80], true), -1.0);
        assert_eq!(Component::I16.decode(&[0x01, 0x80], true), -1.0);
        assert_eq!(Component::I16.decode(&[0xFF, 0x7F], true), 1.0);
    }
}
