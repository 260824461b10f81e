#![allow(missing_docs)]
use cloth_contacts::intersect::Checker;
use cloth_verify::*;
fn env(n: &str) -> Option<f32> {
    std::env::var(n).ok().and_then(|v| v.parse().ok())
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let sc = scenarios::all().iter().find(|s| s.name == a[1]).unwrap();
    let size: Size = a[2].parse().unwrap();
    let mut setup = (sc.build)(size).unwrap();
    let s = &mut setup.settings;
    if let Some(v) = env("SUB") {
        s.substeps = v as u32;
    }
    if let Some(v) = env("IT") {
        s.iterations = v as u32;
    }
    if let Some(v) = env("CYC") {
        s.stretch_cycles = v as u32;
    }
    if let Some(v) = env("SOFT") {
        s.soft_interval = v as u32;
    }
    if let Some(v) = env("CI") {
        s.contact_iterations = v as u32;
    }
    if let Some(v) = env("FI") {
        s.friction_iterations = v as u32;
    }
    if let Some(v) = env("SELF") {
        s.self_collision = v > 0.0;
    }
    if let Some(v) = env("DAMP") {
        s.air_damping = v;
    }
    if let Some(v) = env("REC") {
        s.contact_recovery = v;
    }
    if let Some(v) = env("RSP") {
        s.recovery_speed = v;
    }
    for c in &mut setup.cloths {
        if let Some(v) = env("BEND") {
            c.material.bending *= v;
        }
        if let Some(v) = env("SHEAR") {
            c.material.shear *= v;
        }
        if let Some(v) = env("MDAMP") {
            c.material.damping = v;
        }
        if env("NOLAYER").is_some() {
            c.layer = None;
        }
    }
    if env("NOLAYER").is_some() {
        setup.settings.contacts = cloth_solver::ContactSource::Detected;
    }
    let mut sim = setup.builder(setup.settings).build().unwrap();
    let mut checker = Checker::<cloth_broadphase::ParryBvh>::default();
    let (mut ms, mut st, mut worst, mut pen, mut with, mut maxi, mut last) =
        (vec![], vec![], 0f64, 0f64, 0, 0, 0);
    let frames = env("FRAMES").map_or(setup.frames, |f| f as usize);
    let every = env("EVERY").unwrap_or(15.) as usize;
    let mut stages = std::collections::BTreeMap::new();
    for f in 0..frames {
        if let Some(d) = &mut setup.driver {
            d(&mut sim, f, (f + 1) as f32 * setup.dt).unwrap();
        }
        let r = *match sim.step(setup.dt) {
            Ok(r) => r,
            Err(e) => {
                println!("{f}: {e}");
                break;
            }
        };
        for (n, t) in r.times.named() {
            *stages.entry(n).or_insert(0.0) += t.as_secs_f64() * 1e3;
        }
        ms.push(r.times.total().as_secs_f64() * 1e3);
        let p: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
        let mut l: Vec<f64> = setup
            .measured
            .threads
            .iter()
            .map(|e| ((p[e.ends[0] as usize] - p[e.ends[1] as usize]).norm() / e.rest - 1.0).abs())
            .collect();
        l.sort_by(f64::total_cmp);
        let p99 = l[(l.len() * 99).div_ceil(100) - 1];
        worst = worst.max(p99);
        st.extend(l.iter().copied());
        let d = invariants::deepest_penetration(sim.positions(), sim.colliders());
        pen = pen.max(d);
        let mut ex: Vec<f64> = setup
            .measured
            .threads
            .iter()
            .map(|e| (p[e.ends[0] as usize] - p[e.ends[1] as usize]).norm() / e.rest - 1.0)
            .collect();
        ex.sort_by(f64::total_cmp);
        let (e99, c99) = (ex[ex.len() * 99 / 100], ex[ex.len() / 100]);
        let found = checker.check(&p, sim.surface().topology()).unwrap();
        let part = |f: u32| {
            setup
                .cloths
                .iter()
                .scan(0, |s, c| {
                    *s += c.mesh.faces.len() as u32;
                    Some(*s)
                })
                .position(|end| f < end)
                .unwrap()
        };
        let same =
            found.face_pairs(sim.surface().topology()).iter().filter(|[a, b]| part(*a) == part(*b)).count();
        last = if env("NOCHECK").is_some() {
            0
        } else {
            checker.check(&p, sim.surface().topology()).unwrap().count()
        };
        with += usize::from(last > 0);
        maxi = maxi.max(last);
        if f % every == every - 1 {
            println!(
                "{f}: p99 {:.2}% max {:.2}% (99: {:.1} / {:.1}) pen {:.2} mm inter {last} (same layer {same} pairs) contacts {} coll {} ms {:.3}",
                p99 * 100.,
                l[l.len() - 1] * 100.,
                c99 * 100.,
                e99 * 100.,
                d * 1e3,
                r.contacts,
                r.collider_contacts,
                ms[f]
            );
        }
    }
    st.sort_by(f64::total_cmp);
    ms.sort_by(f64::total_cmp);
    let n = sim.positions().len();
    println!(
        "{} {n} particles: worst p99 {:.2}%, run p99 {:.2}%, pen {:.2} mm, inter max {maxi} final {last} with {with}; ms median {:.3} p95 {:.3} ({:.0} ns/particle)",
        a[1],
        worst * 100.,
        st[(st.len() * 99).div_ceil(100) - 1] * 100.,
        pen * 1e3,
        ms[ms.len() / 2],
        ms[ms.len() * 95 / 100],
        ms[ms.len() / 2] * 1e6 / n as f64
    );
    for (n, t) in stages {
        print!("{n} {:.3}  ", t / ms.len() as f64);
    }
    println!();
}
