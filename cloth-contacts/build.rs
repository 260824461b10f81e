//! Compiles the faults in that tests have to notice, if `CLOTH_FAULTS` is set: see
//! `cloth-contacts/src/fault.rs`.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(faults)");
    println!("cargo::rerun-if-env-changed=CLOTH_FAULTS");
    if std::env::var_os("CLOTH_FAULTS").is_some() {
        println!("cargo::rustc-cfg=faults");
    }
}
