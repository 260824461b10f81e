// The module computes the bits of this machine, with vectors and without: five scenes, all frames under node.
//
// `build.mjs` has built the modules, and `report.mjs` has written the hashes of this machine.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MODULES, SCENES, crate, reported } from "./support.mjs";

for (const file of MODULES) {
  // The script holds one module at a time.
  const { Simulation, initSync } = await import(`../cloth-web/pkg/cloth_web.js?${file}`);
  initSync({ module: readFileSync(`${crate}pkg/${file}`) });

  for (const scene of SCENES) {
    test(`every frame of ${scene} has the bits of this machine, ${file}`, () => {
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
}

test("the package loads the module without vectors where there are none", async (context) => {
  const { default: init, hasVectors, Mesh } = await import("../cloth-web/pkg/index.js");
  assert.equal(hasVectors(), true);
  context.mock.method(WebAssembly, "validate", () => false);
  const loaded = [];
  context.mock.method(globalThis, "fetch", async (url) => {
    loaded.push(url.pathname.split("/").at(-1));
    return new Response(readFileSync(url), { headers: { "content-type": "application/wasm" } });
  });
  await init();
  assert.deepEqual(loaded, ["cloth_web_plain_bg.wasm"]);
  assert.equal(new Mesh(3, Uint32Array.of(0, 1, 2)).checkState(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0)).isClean, true);
});
