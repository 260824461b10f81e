//! Where tests make the code wrong on purpose, to see that they notice.

/// `fault!(Name, value)` is `value`, in every build but that of `cargo xtask faults`. There the function
/// `faults::Name` of the crate alters it if the environment variable `CLOTH_FAULT` is that name; it is called
/// with the value and whatever follows.
///
/// Put it around a value on which a guarantee rests. Each fault has a test in `xtask/src/faults.rs` that has
/// to fail with it. Several names, `A | B`, are several faults of one value.
#[cfg(not(faults))]
#[doc(hidden)]
#[macro_export]
macro_rules! fault {
    ($($name:ident)|+, $value:expr $(, $seen:expr)*) => {
        $value
    };
}

#[cfg(faults)]
#[doc(hidden)]
#[macro_export]
#[allow(clippy::crate_in_macro_def, reason = "the faults are those of the crate that has the value")]
macro_rules! fault {
    (@alter $value:ident, $seen:tt, $($name:ident)|+) => {
        $(let $value = $crate::fault!(@one $value, $seen, $name);)+
    };
    (@one $value:ident, ($($seen:expr),*), $name:ident) => {{
        static IS_CHOSEN: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
            std::env::var_os("CLOTH_FAULT").is_some_and(|chosen| chosen == stringify!($name))
        });
        if *IS_CHOSEN { crate::faults::$name($value $(, $seen)*) } else { $value }
    }};
    ($($name:ident)|+, $value:expr $(, $seen:expr)*) => {{
        let value = $value;
        $crate::fault!(@alter value, ($($seen),*), $($name)|+);
        value
    }};
}
