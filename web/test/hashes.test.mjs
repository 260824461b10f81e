// The module computes the bits of this machine: five scenes, all frames under node.
//
// `build.mjs` has built the module; the hashes of this machine are those of `cloth-web/src/main.rs`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Simulation, initSync } from "../cloth-web/pkg/cloth_web.js";
import { SCENES, crate, hashesHere } from "./support.mjs";

const expected = hashesHere("small", SCENES);
initSync({ module: readFileSync(`${crate}pkg/cloth_web_bg.wasm`) });

for (const scene of SCENES) {
  test(`every frame of ${scene} has the bits of this machine`, () => {
    const simulation = new Simulation(scene, { size: "small" });
    const hashes = expected.get(scene);
    assert.ok(hashes.length > 100, `${hashes.length} hashes`);
    assert.equal(simulation.stateHash(), hashes[0], "at the start");
    hashes.slice(1).forEach((hash, frame) => {
      assert.equal(simulation.step().intersections, 0, `frame ${frame + 1}`);
      assert.equal(simulation.stateHash(), hash, `frame ${frame + 1}`);
    });
    simulation.free();
  });
}
