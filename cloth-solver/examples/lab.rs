//! lab
use cloth_broadphase::ParryBvh;
use cloth_contacts::intersect::Checker;
use cloth_geom::fixtures;
use cloth_solver::*;
use nalgebra::*;
use std::time::Instant;
fn arg(n: &str, d: f32) -> f32 { std::env::args().find_map(|a| a.strip_prefix(&format!("{n}=")).map(|v| v.parse().unwrap())).unwrap_or(d) }
fn cpu() -> f64 { std::fs::read_to_string("/proc/thread-self/schedstat").unwrap().split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-6 }
fn main() {
    let scene = std::env::args().nth(1).unwrap();
    let n = arg("n", 64.0) as usize;
    let mut s = Settings::default();
    s.substeps = arg("sub", 10.0) as u32;
    s.iterations = arg("it", 1.0) as u32;
    s.contact_iterations = arg("cit", 2.0) as u32;
    s.contact_recovery = arg("rec", 0.01);
    s.candidate_slack = arg("slack", 0.2);
    s.self_friction = arg("fric", 0.3);
    s.self_collision = arg("self", 1.0) > 0.0;
    s.stretch_cycles = arg("cy", 2.0) as u32; s.soft_interval = arg("soft", 2.0) as u32;
    s.wind.drag = arg("drag", 0.0); s.wind.lift = arg("lift", 0.0);
    let frames = arg("frames", 240.0) as usize;
    let size: f64 = if scene == "stack" { 0.5 } else { 1.0 };
    let n = if scene == "stack" && n == 64 { 32 } else { n };
    let sheet = fixtures::sheet(n, n, [size, size]).unwrap();
    let spacing = size / (n as f64 - 1.0);
    let th = Thickness::split((arg("th", 0.5) as f64 * spacing) as f32, arg("scr", 0.4));
    let mut b = SimulationBuilder::new(s);
    let mut mat = Material::COTTON;
    mat.damping = arg("damp", 2e-3);
    mat.bending *= arg("bend", 1.0);
    let jit = |m: &cloth_geom::TriMesh, seed| fixtures::jitter(m, spacing * 1e-3, seed).unwrap();
    let map = |m: &cloth_geom::TriMesh, f: &dyn Fn(Point3<f64>) -> Point3<f64>| { let mut m = m.clone(); for p in &mut m.positions { *p = f(*p) } m };
    let (min, max) = sheet.mesh.positions.iter().fold((Vector3::repeat(9e9), Vector3::repeat(-9e9)), |(a, b): (Vector3<f64>, Vector3<f64>), p| (a.inf(&p.coords), b.sup(&p.coords)));
    let c = (min + max) * 0.5;
    let flat = map(&sheet.mesh, &|p| Point3::from(p.coords - c));
    let rest = RestShape::Positions(flat.positions.clone());
    match scene.as_str() {
        "drape" => {
            let m = map(&flat, &|p| p + Vector3::new(0.0, 0.3 + 0.4 + 0.01, 0.0));
            let mut d = ClothDesc::new(jit(&m, 1), mat, th); d.rest = rest; b.add_cloth(d);
            b.add_collider(Collider::new(Shape::Sphere { radius: 0.2 }, Isometry3::translation(0.0, 0.2, 0.0), 0.3).unwrap());
        }
        "pile" => {
            let m = map(&flat, &|p| Point3::new(p.x, p.z + 0.5 + 0.05, p.y));
            let mut d = ClothDesc::new(jit(&m, 1), mat, th); d.rest = rest; b.add_cloth(d);
        }
        "hang" => {
            let m = map(&flat, &|p| Point3::new(p.x, p.z, p.y));
            let mut d = ClothDesc::new(jit(&m, 1), mat, th); d.rest = rest;
            let top: Vec<u32> = (0..d.mesh.positions.len() as u32).filter(|&v| { let p = flat.positions[v as usize]; p.z > 0.499 && p.x.abs() > 0.499 }).collect();
            d.pins = top; b.add_cloth(d);
        }
        _ => {
            for k in 0..5 {
                let m = map(&flat, &|p| p + Vector3::new(0.0, 0.3 + 0.02 + 0.02 * k as f64, 0.0));
                let mut d = ClothDesc::new(jit(&m, k), mat, th); d.rest = rest.clone(); b.add_cloth(d);
            }
            b.add_collider(Collider::new(Shape::Sphere { radius: 0.15 }, Isometry3::translation(0.0, 0.15, 0.0), 0.3).unwrap());
        }
    }
    if scene != "hang" { b.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5).unwrap()); }
    let mut sim = b.build().unwrap();
    let mut checker = Checker::<ParryBvh>::default();
    let mut ms = vec![]; let (mut peak, mut with) = (0, 0); let mut last = 0; let mut worst_p99 = 0f32; let mut worst = 0f32; let mut chk = 0.0;
    let mut st: Vec<f64> = vec![0.0; 6]; let mut reb = 0; 
    let edges: Vec<([u32; 2], f32)> = sheet.warp_edges().into_iter().chain(sheet.weft_edges()).map(|e| (e, spacing as f32)).collect();
    for f in 0..frames {
        let t = cpu();
        let r = *sim.step(1.0 / 60.0).unwrap();
        ms.push(cpu() - t);
        for (i, (_, d)) in r.times.named().iter().enumerate() { st[i] += d.as_secs_f64() * 1e3; }
        reb += r.rebuilds;
        let x: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
        let t = Instant::now();
        let hit = checker.check(&x, sim.surface().topology()).unwrap();
        chk += t.elapsed().as_secs_f64() * 1e3;
        last = hit.count(); peak = peak.max(last); with += (last > 0) as usize;
        let mut s: Vec<f32> = edges.iter().map(|(e, l)| (x[e[0] as usize] - x[e[1] as usize]).norm() as f32 / l - 1.0).collect(); s.sort_by(f32::total_cmp); if std::env::args().any(|a| a == "-d") { println!("f{f} strain 0.5% {:.3} 2% {:.3} 50% {:.3} 98% {:.3} 99.5% {:.3}", s[s.len() / 200], s[s.len() / 50], s[s.len() / 2], s[s.len() * 98 / 100], s[s.len() * 199 / 200]); let mut rad = vec![(0f32, 0, 0f32); 12]; for (e, l) in &edges { let q = (x[e[0] as usize] - x[e[1] as usize]).norm() as f32 / l - 1.0; let p = flat.positions[e[0] as usize]; let k = (p.coords.norm() * 15.0) as usize; let r = &mut rad[k.min(11)]; r.0 = r.0.max(q.abs()); r.1 += 1; r.2 += q.abs(); } println!("   by radius {:?}", rad.iter().map(|r| (r.0, r.2 / r.1.max(1) as f32)).collect::<Vec<_>>()); } s.iter_mut().for_each(|s| *s = s.abs()); if std::env::args().any(|a| a == "-r") { for row in [10usize, 20, 31] { let q: Vec<String> = (0..n - 1).map(|i| { let a = row * n + i; format!("{:.0}", 100.0 * ((x[a] - x[a + 1]).norm() / spacing - 1.0)) }).collect(); println!("f{f} row {row}: {}", q.join(" ")); let q: Vec<String> = (0..n).map(|i| format!("{:.0}", 1000.0 * x[row * n + i].y)).collect(); println!("      y: {}", q.join(" ")); } }
        s.sort_by(f32::total_cmp); worst_p99 = worst_p99.max(s[s.len() * 99 / 100]); worst = worst.max(s[s.len() - 1]);
        let ke: f32 = sim.velocities().iter().map(|v| v.norm_squared()).sum::<f32>() / x.len() as f32;
        let maxy = x.iter().map(|p| p.y).fold(-9.0, f64::max);
        if f % 20 == 19 || std::env::args().any(|a| a == "-v") { println!("f{f} ms {:.1} cand {} contacts {} coll {} reb {}+{} crossed {} trunc {} hits {last} p99 {:.4} max {:.3} rms v {:.3} maxy {maxy:.3}", ms[f], r.candidates, r.contacts, r.collider_contacts, r.rebuilds, r.refreshes, r.warnings.crossed_contacts, r.warnings.truncated, s[s.len() * 99 / 100], s[s.len() - 1], ke.sqrt()); }
    }
    let total = ms.len() as f64;
    ms.sort_by(f64::total_cmp);
    println!("{scene} median {:.2} p95 {:.2} max {:.2} | peak {peak} with {with} final {last} | worst p99 {worst_p99:.4} max {worst:.3} | stages {:?} reb/frame {:.2} check {:.1} hash {:016x}", ms[ms.len() / 2], ms[ms.len() * 95 / 100], ms[ms.len() - 1], st.iter().map(|s| (s / total * 100.0).round() / 100.0).collect::<Vec<_>>(), reb as f64 / total, chk / total, sim.state_hash());
}
