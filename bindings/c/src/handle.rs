//! Handles: what C holds is the address of a number that says its kind, and of the content behind it.

use std::sync::{Mutex, MutexGuard, TryLockError};

use crate::memory;
use crate::status::{Fault, cloth_error, cloth_status, run};

/// The kind of a handle. The type that C sees is never made; a pointer to it is one to a [`Held`].
pub(crate) trait Handle {
    /// May go to another thread, and be used by several.
    type Content: Send + Sync;
    /// Differs between kinds, and is unlikely in other memory.
    const KIND: u64;
    /// In messages.
    const NAME: &'static str;
}

#[repr(C)]
struct Held<T> {
    kind: u64,
    content: T,
}

/// Gives a content to C.
fn give<H: Handle>(content: H::Content) -> *mut H {
    Box::into_raw(Box::new(Held { kind: H::KIND, content })).cast()
}

/// Does the work of a call that makes a handle, which is null after an error.
///
/// # Safety
/// As [`run`] and [`memory::write`].
pub(crate) unsafe fn create<H: Handle>(
    (name, handle): (&str, *mut *mut H),
    error: *mut cloth_error,
    make: impl FnOnce() -> Result<H::Content, Fault>,
) -> cloth_status {
    // SAFETY: as demanded.
    unsafe {
        run(error, || {
            memory::write(name, handle, std::ptr::null_mut())?;
            memory::write(name, handle, give(make()?))
        })
    }
}

/// Does the work of a call with what a handle holds for one thread at a time.
///
/// # Safety
/// As [`run`] and [`content`].
pub(crate) unsafe fn call<H: Handle<Content = Mutex<T>>, T>(
    handle: *const H,
    error: *mut cloth_error,
    work: impl FnOnce(&mut T) -> Result<(), Fault>,
) -> cloth_status {
    // SAFETY: as demanded.
    unsafe { run(error, || work(&mut *exclusive(content(handle)?)?)) }
}

/// Whether a pointer is of its kind, as far as can be seen.
///
/// # Safety
/// A pointer that is not null and aligned points to 8 bytes.
unsafe fn check<H: Handle>(handle: *const H) -> Result<*const Held<H::Content>, Fault> {
    if handle.is_null() {
        return Err(Fault::new(cloth_status::CLOTH_ERROR_NULL, format!("the {} is null", H::NAME)));
    }
    let held = handle.cast::<Held<H::Content>>();
    // SAFETY: `kind` is the first field of every handle; 8 bytes are there.
    if held.is_aligned() && unsafe { held.cast::<u64>().read() } == H::KIND {
        return Ok(held);
    }
    let text = format!("this is not a {}: it is another handle, other memory, or was destroyed", H::NAME);
    Err(Fault::new(cloth_status::CLOTH_ERROR_HANDLE, text))
}

/// What a handle holds.
///
/// # Safety
/// As [`check`], and a handle of this kind has not been destroyed, and is not during the call.
pub(crate) unsafe fn content<'a, H: Handle>(handle: *const H) -> Result<&'a H::Content, Fault> {
    // SAFETY: as demanded; the content is only ever shared until it is destroyed.
    unsafe { check(handle).map(|held| &(*held).content) }
}

/// What a handle holds, if there is one.
///
/// # Safety
/// As [`content`].
pub(crate) unsafe fn optional<'a, H: Handle>(handle: *const H) -> Result<Option<&'a H::Content>, Fault> {
    // SAFETY: as for `content`.
    if handle.is_null() { Ok(None) } else { unsafe { content(handle) }.map(Some) }
}

/// Frees what a handle holds; null is nothing to free.
///
/// # Safety
/// As [`content`], and nobody uses the handle any more.
pub(crate) unsafe fn destroy<H: Handle>(handle: *mut H) -> Result<(), Fault> {
    if handle.is_null() {
        return Ok(());
    }
    // SAFETY: it is a handle of this kind, made by `give`, and its last use. The kind is cleared so that a
    // second destruction is likely to be noticed.
    unsafe {
        let held = check(handle)?.cast_mut();
        (*held).kind = 0;
        drop(Box::from_raw(held));
    }
    Ok(())
}

/// The content for one thread at a time.
fn exclusive<T>(content: &Mutex<T>) -> Result<MutexGuard<'_, T>, Fault> {
    content.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Fault::new(
            cloth_status::CLOTH_ERROR_BUSY,
            "another thread is using this handle: use it from one thread at a time",
        ),
        TryLockError::Poisoned(_) => Fault::new(
            cloth_status::CLOTH_ERROR_INTERNAL,
            "a call on this handle failed by a defect of this library: destroy it",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing;
    impl Handle for Thing {
        type Content = Mutex<u32>;
        const KIND: u64 = 7;
        const NAME: &'static str = "thing";
    }

    #[test]
    fn a_handle_that_is_used_or_poisoned_is_refused() {
        let thing = Mutex::new(1);
        let used = exclusive(&thing).expect("free");
        // SAFETY: no error is asked for.
        let status = |thing| unsafe { run(std::ptr::null_mut(), || exclusive(thing).map(drop)) };
        assert_eq!(status(&thing), cloth_status::CLOTH_ERROR_BUSY);
        drop(used);
        assert_eq!(status(&thing), cloth_status::CLOTH_OK);
        // SAFETY: no error is asked for.
        let failed = unsafe {
            run(std::ptr::null_mut(), || {
                let _used = exclusive(&thing)?;
                panic!("in the middle");
            })
        };
        assert_eq!(failed, cloth_status::CLOTH_ERROR_INTERNAL);
        assert_eq!(status(&thing), cloth_status::CLOTH_ERROR_INTERNAL);
    }

    #[test]
    fn a_handle_gives_its_content_until_it_is_destroyed() {
        let thing = give::<Thing>(Mutex::new(3));
        // SAFETY: it is a handle.
        unsafe {
            assert_eq!(*exclusive(content(thing).expect("a thing")).expect("free"), 3);
            destroy(thing).expect("a thing");
        }
        let other = [0_u64; 2];
        // SAFETY: 16 bytes are there.
        let refused = unsafe { destroy::<Thing>(other.as_ptr().cast::<Thing>().cast_mut()) };
        assert!(refused.is_err());
    }
}
