//! Memory of the caller, read and written in one place.
//!
//! What can be seen of a pointer is checked: null, alignment, and a size beyond the address space. That it
//! points to as many items as its count says is the caller's duty, and the reason why every function here is
//! `unsafe`. All input is copied or read before anything is written, so that buffers may overlap.

use std::ffi::{CStr, c_char};

use crate::status::{Fault, cloth_status};

/// Refuses a pointer to `count` items that cannot be one.
fn check<T>(name: &str, pointer: *const T, count: usize) -> Result<(), Fault> {
    if pointer.is_null() {
        return Err(Fault::new(cloth_status::CLOTH_ERROR_NULL, format!("`{name}` is null")));
    }
    if !pointer.is_aligned() {
        let text = format!("`{name}` is not aligned: its address must be a multiple of {}", align_of::<T>());
        return Err(Fault::argument(text));
    }
    if count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(Fault::argument(format!("`{name}` has {count} entries, more than any memory holds")));
    }
    Ok(())
}

/// An array of the caller; it may be null if it is empty.
///
/// # Safety
/// A pointer that passes the checks points to `count` items that nobody changes for as long as they are used.
pub(crate) unsafe fn array<'a, T: Copy>(
    name: &str,
    pointer: *const T,
    count: usize,
) -> Result<&'a [T], Fault> {
    if count == 0 {
        return Ok(&[]);
    }
    check(name, pointer, count)?;
    // SAFETY: checked, and the caller keeps the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// What a number of the caller stands for, one of these by its place.
pub(crate) fn choice<T, const N: usize>(name: &str, number: u32, known: [T; N]) -> Result<T, Fault> {
    let unknown = || Fault::argument(format!("`{name}` is {number}; use 0 to {}", N - 1));
    known.into_iter().nth(number as usize).ok_or_else(unknown)
}

/// An array that is left out if it is null.
///
/// # Safety
/// As [`array`].
pub(crate) unsafe fn optional<'a, T: Copy>(
    name: &str,
    pointer: *const T,
    count: usize,
) -> Result<Option<&'a [T]>, Fault> {
    // SAFETY: as for `array`.
    if pointer.is_null() { Ok(None) } else { unsafe { array(name, pointer, count) }.map(Some) }
}

/// A struct of the caller.
///
/// # Safety
/// A pointer that passes the checks points to a struct that nobody changes during the call.
pub(crate) unsafe fn item<'a, T: Copy>(name: &str, pointer: *const T) -> Result<&'a T, Fault> {
    check(name, pointer, 1)?;
    // SAFETY: checked, and the caller keeps the rest.
    Ok(unsafe { &*pointer })
}

/// A text of the caller.
///
/// # Safety
/// A pointer that is not null points to a text that ends with 0.
pub(crate) unsafe fn text<'a>(name: &str, pointer: *const c_char) -> Result<&'a str, Fault> {
    check(name, pointer, 1)?;
    // SAFETY: not null, and the caller ends it with 0.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Fault::argument(format!("`{name}` is not UTF-8")))
}

/// Refuses a place for one result that cannot be one, before there is work.
pub(crate) fn check_place<T>(name: &str, pointer: *mut T) -> Result<(), Fault> {
    check(name, pointer, 1)
}

/// Refuses a buffer that cannot be one, before there is work; it may be null if its capacity is 0.
pub(crate) fn check_buffer<T>(name: &str, pointer: *mut T, capacity: usize) -> Result<(), Fault> {
    if capacity == 0 { Ok(()) } else { check(name, pointer, capacity) }
}

/// For how many results there is a place that may be null.
pub(crate) fn room<T>(pointer: *mut T) -> usize {
    usize::from(!pointer.is_null())
}

/// Writes one result.
///
/// # Safety
/// A pointer that passes the checks points to memory for it that nobody else uses.
pub(crate) unsafe fn write<T>(name: &str, pointer: *mut T, value: T) -> Result<(), Fault> {
    check(name, pointer, 1)?;
    // SAFETY: checked, and the caller keeps the rest.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes as many items as the buffer holds.
///
/// # Safety
/// A pointer that passes the checks points to memory for `capacity` items that nobody else uses.
pub(crate) unsafe fn fill<T: Copy>(
    name: &str,
    pointer: *mut T,
    capacity: usize,
    items: &[T],
) -> Result<(), Fault> {
    let count = items.len().min(capacity);
    if count == 0 {
        return Ok(());
    }
    check(name, pointer, capacity)?;
    // SAFETY: checked, and the caller keeps the rest; our items lie elsewhere or are copied as by `memmove`.
    unsafe { std::ptr::copy(items.as_ptr(), pointer, count) };
    Ok(())
}

/// Refuses a buffer that cannot be one, or no place for the number of items, before there is work.
pub(crate) fn check_counted<T>(
    (name, pointer, capacity): (&str, *mut T, usize),
    count: *mut usize,
) -> Result<(), Fault> {
    check_buffer(name, pointer, capacity)?;
    check_place("count", count)
}

/// Writes as many items as the buffer holds, and how many there are.
///
/// # Safety
/// As [`fill`] and [`write`].
pub(crate) unsafe fn fill_counted<T: Copy>(
    (name, pointer, capacity): (&str, *mut T, usize),
    count: *mut usize,
    items: &[T],
) -> Result<(), Fault> {
    check_counted((name, pointer, capacity), count)?;
    // SAFETY: as for the two functions.
    unsafe {
        fill(name, pointer, capacity, items)?;
        write("count", count, items.len())
    }
}
