// The judge and the gate over typed arrays, under node.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as cloth from "../cloth-web/pkg/cloth_web.js";

cloth.initSync({ module: readFileSync(new URL("../cloth-web/pkg/cloth_web_bg.wasm", import.meta.url)) });

const FACES = Uint32Array.of(0, 1, 2, 3, 4, 5);
/** A face, and another that stands across it, its tip at a height (m). */
const at = (tip, Type) => Type.of(0, 0, 0, 4, 0, 0, 0, 0, 4, 1, 1, 1, 1, tip, 1, 2, 1, 1);

for (const Type of [Float32Array, Float64Array]) {
  test(`states and motions are judged in ${Type.name}`, () => {
    const mesh = new cloth.Mesh(6, FACES);
    const clean = mesh.checkState(at(0.5, Type));
    assert.deepEqual([clean.isClean, clean.intersections], [true, 0]);
    const hit = mesh.checkState(at(-1, Type));
    assert.deepEqual([hit.isClean, hit.intersections], [false, 2]);
    assert.ok(hit.witnesses.every(({ kind, faces }) => kind === "crosses" && faces[0] === 0));
    const [first] = mesh.checkMotion(at(1, Type), at(-1, Type), "earliest").witnesses;
    assert.deepEqual([first.kind, first.vertices[0]], ["vertexFace", 4]);
    assert.ok(first.time <= 0.5 && first.time + first.gap >= 0.5, JSON.stringify(first));
    const step = mesh.maxStep(at(1, Type), at(-1, Type));
    assert.equal(step.limit, "collision");
    assert.ok(step.step > 0.45 && step.step < 0.5, String(step.step));
  });

  test(`a certifier corrects what would cross, and nothing else, in ${Type.name}`, () => {
    const mesh = new cloth.Mesh(6, FACES);
    const certifier = new cloth.Certifier(mesh, at(1, Type));
    const masses = Type.of(0, 0, 0, 1, 1, 1);
    const end = at(-1, Type);
    const certificate = certifier.correct(at(1, Type), end, masses);
    assert.equal(certificate.isUnconditional, true);
    assert.ok(certificate.changed.includes(4));
    assert.equal(mesh.checkState(end).isClean, true);
    assert.deepEqual([...end.subarray(0, 9)], [...at(1, Type).subarray(0, 9)]);
  });
}

test("what cannot be judged is an error that says why", () => {
  const mesh = new cloth.Mesh(6, FACES);
  assert.throws(() => new cloth.Mesh(2, FACES), /vertex|2/);
  assert.throws(() => new cloth.Mesh(6, Uint32Array.of(0, 1)), /`faces` has 2 entries/);
  assert.throws(() => mesh.checkState(Float32Array.of(1, 2, 3)), /`x` has 1 entries, but the mesh has 6 vertices/);
  assert.throws(() => mesh.checkState([0, 0, 0]), /Float32Array or a Float64Array/);
  assert.throws(() => mesh.checkState(at(NaN, Float32Array)), /not finite/);
  assert.throws(() => mesh.checkMotion(at(1, Float32Array), at(1, Float64Array)), /of one type/);
  assert.throws(() => mesh.checkMotion(at(1, Float32Array), at(1, Float32Array), "some"), /no search `some`/);
  assert.throws(() => new cloth.Certifier(mesh, at(-1, Float32Array)), /intersection/);
  assert.throws(() => new cloth.Simulation("pill"), /no scene `pill`; the scenes are drape-sphere/);
  assert.throws(() => new cloth.Simulation("pile", { size: "tiny" }), /no size `tiny`/);
  assert.throws(() => new cloth.Simulation("pile", { speed: 3 }), /unknown field `speed`/);
});

test("a hand pulls cloth, and lets go", () => {
  const simulation = new cloth.Simulation("push", { size: "small" });
  const place = simulation.grab(Float32Array.of(0, 0.8, 3), Float32Array.of(0, 0, -1));
  assert.ok(place !== undefined && Math.abs(place[0]) < 1e-6, String(place));
  assert.equal(simulation.grab(Float32Array.of(5, 5, 3), Float32Array.of(0, 0, -1)), undefined);
  simulation.grab(Float32Array.of(0, 0.8, 3), Float32Array.of(0, 0, -1));
  const middle = () => Math.max(...simulation.positions().filter((_, k) => k % 3 === 2));
  const before = middle();
  for (let frame = 0; frame < 30; frame += 1) {
    simulation.dragTo(Float32Array.of(0, 0.8, 0.6));
    assert.equal(simulation.step().intersections, 0);
  }
  assert.ok(middle() > before + 0.2, `${before} ${middle()}`);
  assert.throws(() => simulation.dragTo(Float32Array.of(NaN, 0, 0)), /three finite numbers/);
  simulation.release();
  assert.equal(simulation.step().intersections, 0);
});

test("a teleported cloth is elsewhere at once, and its scene brings it back by a cut", () => {
  const simulation = new cloth.Simulation("twist", { size: "small", teleport: { metres: 2 } });
  assert.deepEqual(simulation.step().cuts, []);
  const before = simulation.positions()[0];
  simulation.teleport(0, Float32Array.of(20, 0, 0, 0, 0, 0, 1));
  assert.ok(Math.abs(simulation.positions()[0] - before - 20) < 1e-4);
  const [cut, ...others] = simulation.step().cuts;
  assert.ok(cut.cloth === 0 && Math.abs(cut.metres - 20) < 0.1 && others.length === 0, JSON.stringify(cut));
  assert.deepEqual(simulation.step().cuts, []);
  simulation.teleportAll(Float32Array.of(0, 5, 0, 0, 0, 0, 1));
  assert.throws(() => simulation.teleport(1, Float32Array.of(20, 0, 0, 0, 0, 0, 1)), /cloth/);
  assert.throws(() => simulation.teleport(0, Float32Array.of(20, 0, 0)), /seven finite numbers/);
});

/** The most intersections while a hand goes to and fro through three curtains at 10 m/s for 5 s. */
function mostWhilePulled(choice) {
  const simulation = new cloth.Simulation("push", { size: "small", ...choice });
  assert.ok(simulation.grab(Float32Array.of(0.1, 0.7, 3), Float32Array.of(0, 0, -1)) !== undefined);
  let [z, way, most] = [0.06, -1, 0];
  for (let frame = 0; frame < 300; frame += 1) {
    z += (way * 10) / 60;
    if (Math.abs(z) > 0.5) way = -Math.sign(z);
    simulation.dragTo(Float32Array.of(0.1, 0.7, z));
    most = Math.max(most, simulation.step().intersections);
  }
  return most;
}

test("a hand that goes through two layers at 10 m/s for 5 s leaves the count at 0", () => {
  assert.equal(mostWhilePulled({}), 0);
});

test("the same hand intersects them without self-collision", () => {
  assert.ok(mostWhilePulled({ gate: false, selfCollision: false }) > 100);
});

test("without gate and self-collision the count of the same scene is above 0", () => {
  const simulation = new cloth.Simulation("pile", { size: "small", gate: false, selfCollision: false });
  for (let frame = 0; frame < 200; frame += 1) {
    // What is marked is there whenever something is counted.
    if (simulation.step().intersections > 0) return assert.ok(simulation.intersectingFaces().length >= 2);
  }
  assert.fail("200 frames without an intersection");
});
