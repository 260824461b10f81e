// The module computes the bits of this machine: five scenes, all frames under node.
//
// `build.mjs` has built the module, and `report.mjs` has written the hashes of this machine.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import init, { Simulation, initSync } from "../cloth-web/pkg/index.js";
import { SCENES, crate, reported } from "./support.mjs";

initSync({ module: readFileSync(`${crate}pkg/cloth_web_bg.wasm`) });

for (const scene of SCENES) {
  test(`every frame of ${scene} has the bits of this machine`, () => {
    const simulation = new Simulation(scene, { size: "small" });
    const hashes = reported(scene).frame_hashes;
    assert.ok(hashes.length > 100, `${hashes.length} hashes`);
    hashes.forEach((hash, frame) => {
      assert.equal(simulation.step().intersections, 0, `frame ${frame + 1}`);
      assert.equal(simulation.stateHash(), hash, `frame ${frame + 1}`);
    });
    simulation.free();
  });
}

test("the package names the browsers it needs where there are no vectors", async (context) => {
  context.mock.method(WebAssembly, "validate", () => false);
  await assert.rejects(init(), /Chrome or Edge 91, Firefox 89, Safari 16\.4/);
});
