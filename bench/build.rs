//! Passes the version of the compiler to the program.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.ok().and_then(|out| String::from_utf8(out.stdout).ok()).unwrap_or_default();
    println!("cargo::rustc-env=CLOTH_BENCH_RUSTC={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}
