// The page in Chromium: every scene runs and stays at 0, a hand pulls, what is without the gate is counted
// red.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { SMALL, figures, frames, launch, looksAs, open, program, serve, violations } from "./browser.mjs";
import { Simulation, initSync } from "../cloth-web/pkg/cloth_web.js";
import { SCENES, crate, reported } from "./support.mjs";

const skip = program === undefined ? "there is no Chromium; CHROMIUM names one" : false;
let browser, site;
before(async () => {
  if (skip) return;
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.close();
});

/**
 * Draws nothing from here on, where only what is computed is looked at: without a graphics card, pixels take
 * longer than cloth.
 */
const drawNothing = (page) => page.evaluate(() => (globalThis.page.viewer.renderer.render = () => {}));

/** Keeps all that throws a shadow (m), less how far who walks has gone. */
const keepSample = (page) => page.evaluate(() => {
  globalThis.samples ??= [];
  for (const { stage } of globalThis.page.sides) {
    stage.scene.updateMatrixWorld();
    stage.scene.traverse((mesh) => {
      // Of a hidden collider there are no places.
      const { array } = (mesh.castShadow && mesh.geometry?.getAttribute("position")) || { array: [] };
      const point = mesh.position.clone();
      for (let k = 0; k < array.length; k += 3) globalThis.samples.push(point.fromArray(array, k).applyMatrix4(mesh.matrix).sub(stage.walked).clone());
    });
  }
});

/**
 * Of all samples (CSS pixels): how far one is seen outside of its half or behind a caption, and how much of
 * the half they fill. And how far (m) the ray below a pointer that is where one is seen misses it, in any
 * half.
 */
const framed = (page) => page.evaluate(async () => {
  const { viewer, sides } = globalThis.page;
  for (let k = 0; k < 2; k += 1) await new Promise(requestAnimationFrame);
  const { camera, canvas, size: [width, height] } = viewer;
  camera.updateMatrixWorld();
  const matrix = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
  const captions = [...document.querySelectorAll(".count:not([hidden])")].map((caption) => [(caption.offsetLeft % width) + caption.offsetWidth, (caption.offsetTop % height) + caption.offsetHeight]);
  const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  let [outside, missed] = [-Infinity, 0];
  const rect = canvas.getBoundingClientRect();
  const isStacked = canvas.parentElement.classList.contains("stacked");
  globalThis.samples.forEach((sample, number) => {
    const place = sample.clone().add(viewer.walked);
    const at = place.clone().applyMatrix4(matrix);
    const [x, y] = [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height];
    outside = Math.max(outside, -x, x - width, -y, y - height, ...captions.map(([right, bottom]) => Math.min(right - x, bottom - y)));
    [x, y].forEach((c, axis) => ([low[axis], high[axis]] = [Math.min(low[axis], c), Math.max(high[axis], c)]));
    if (number % 1000 > 0) return;
    sides.forEach((_, side) => {
      const [left, top] = isStacked ? [0, side * height] : [side * width, 0];
      const met = viewer.ray({ clientX: rect.left + left + x, clientY: rect.top + top + y });
      missed = Math.max(missed, met.side === side ? met.ray.ray.distanceToPoint(place) : Infinity);
    });
  });
  return { outside, missed, share: Math.max((high[0] - low[0]) / width, (high[1] - low[1]) / height) };
});

for (const scene of ["drape-sphere", "pile", "twist", "reef-knot", "flag", "cape-walk", "tangled", "push"]) {
  test(`${scene} stays at 0 beside red, and within the picture`, { skip }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}#scene=${scene}&size=small&slow=0`, { ...SMALL, reducedMotion: scene === "tangled" ? "no-preference" : "reduce" });
    await page.waitForFunction(() => globalThis.page?.isStarted);
    await drawNothing(page);
    await page.evaluate(() => {
      const { page } = globalThis;
      globalThis.worst = page.figures.counts;
      const count = page.count.bind(page);
      page.count = (side, report) => {
        globalThis.worst[side] = Math.max(globalThis.worst[side], report.intersections);
        count(side, report);
      };
    });
    assert.equal((await figures(page)).frames[0], 0, "it waits to be played");
    await keepSample(page);
    await page.locator("#pause").click();
    for (let frame = 20; frame <= 120; frame += 20) {
      await frames(page, frame);
      await keepSample(page);
    }
    await page.locator("#pause").click();
    const worst = await page.evaluate(() => globalThis.worst);
    assert.equal(worst[0] > 0, scene === "tangled", `${worst[0]} with the gate`);
    assert.ok(scene === "cape-walk" ? worst.length === 1 : worst[1] > 0, `${worst[1]} beside it`);
    const { counts, error } = await figures(page);
    assert.deepEqual([counts[0], error, errors], [0, "", []]);
    assert.equal(await page.locator("#count-gate output").textContent(), "0");
    // A picture later the view is where who walks is.
    const [walked, followed] = await page.evaluate(async () => {
      for (let k = 0; k < 2; k += 1) await new Promise(requestAnimationFrame);
      return [globalThis.page.sides[0].stage, globalThis.page.viewer].map(({ walked }) => walked.length());
    });
    assert.deepEqual([followed, walked > 0.5], [walked, scene === "cape-walk"]);
    for (const beside of ["as it opens", "nothing"]) {
      if (beside === "nothing") await page.locator("#beside").selectOption(beside);
      await page.waitForFunction(() => globalThis.page.isStarted);
      for (const [width, height] of [[1400, 900], [844, 390], [400, 800]]) {
        await page.setViewportSize({ width, height });
        const { outside, missed, share } = await framed(page);
        assert.ok(missed < 1e-3, `at ${width} x ${height}, beside it ${beside}, a pointer misses by ${missed} m`);
        assert.ok(outside <= 0, `at ${width} x ${height}, beside it ${beside}, ${outside.toFixed(1)} px are cut off`);
        assert.ok(share > 0.5, `at ${width} x ${height}, beside it ${beside}, ${share.toFixed(2)} of the picture are filled`);
      }
    }
    await close();
  });
}

test("the cloths have the colours of the pictures of a report", () => {
  const colours = (file) => /CLOTHS[^=]*=([^;]*);/.exec(readFileSync(new URL(file, import.meta.url), "utf8"))[1].match(/0x[0-9a-f]{6}/g);
  assert.deepEqual(colours("../src/drawing.ts"), colours("../../cloth-show/src/render/palette.rs"));
});

test("the page has the scenes of the module", { skip }, async () => {
  initSync({ module: readFileSync(`${crate}pkg/cloth_web_bg.wasm`) });
  const { page, close } = await open(browser, site.url, { reducedMotion: "reduce" });
  const shown = await page.locator("#scenes button").evaluateAll((buttons) => buttons.map((button) => button.dataset.scene));
  assert.deepEqual(shown, Simulation.scenes().map(({ name }) => name));
  await close();
});

// How soon depends on what else the machine does, so it is said and not judged; 2 s are aimed at.
test("the first frame of the first scene is seen in a new page", { skip }, async () => {
  const seconds = [];
  for (let n = 0; n < 3; n += 1) {
    const start = performance.now();
    const { page, close } = await open(browser, site.url);
    await frames(page, 1);
    seconds.push((performance.now() - start) / 1000);
    await close();
  }
  console.log(`# first frame after ${seconds.map((s) => s.toFixed(2)).join(", ")} s`);
});

test("without the gate beside it the same scene is counted red", { skip }, async () => {
  const { page, close } = await open(browser, `${site.url}#scene=pile&size=small&self=0&compare=1`, SMALL);
  await page.waitForFunction(() => globalThis.page.figures.counts[1] > 0, null, { timeout: 120000 });
  assert.equal(await page.locator("#beside").inputValue(), "gate");
  assert.equal(await page.locator("#count-free output.bad").count(), 1);
  await close();
});

/** How far (m) a vertex has moved, of those that have moved most, while something was done. */
async function moved(page, act) {
  const positions = () => page.evaluate(() => globalThis.page.positions);
  const before = await positions();
  await act();
  const after = await positions();
  let most = 0;
  for (let k = 0; k < before.length; k += 3) most = Math.max(most, Math.hypot(...[0, 1, 2].map((c) => after[k + c] - before[k + c])));
  return most;
}

test("a hand pulls the cloth that is under it, and the count stays 0", { skip }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}#scene=push&size=small&beside=nothing&slow=1`, SMALL);
  await frames(page, 5);
  const box = await page.locator("canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const later = async () => frames(page, (await figures(page)).frames[0] + 40);
  const resting = await moved(page, later);
  const pulled = await moved(page, async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 90, y - 60, { steps: 10 });
    await later();
  });
  assert.ok(pulled > resting + 0.2, `${resting} m, ${pulled} m with a hand`);
  await page.mouse.up();
  await frames(page, (await figures(page)).frames[0] + 5);
  assert.deepEqual([(await figures(page)).counts, errors], [[0], []]);
  await close();
});

test("a finger pulls the cloth, and beside it turns the view", { skip }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}#scene=push&size=small&beside=nothing&slow=1`, { hasTouch: true, isMobile: true, viewport: { width: 400, height: 800 } });
  await frames(page, 5);
  const devtools = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
  const box = await page.locator("canvas").boundingBox();
  const stroke = async (x, y, dx, dy) => {
    await touch("touchStart", { x, y });
    for (let k = 1; k <= 10; k += 1) await touch("touchMove", { x: x + (dx * k) / 10, y: y + (dy * k) / 10 });
    await frames(page, (await figures(page)).frames[0] + 40);
  };
  const view = () => page.evaluate(() => globalThis.page.view);
  const before = await view();
  const resting = await moved(page, async () => frames(page, (await figures(page)).frames[0] + 40));
  const pulled = await moved(page, () => stroke(box.x + box.width / 2, box.y + box.height / 2, 90, -60));
  assert.ok(pulled > resting + 0.2, `${resting} m, ${pulled} m with a finger`);
  assert.deepEqual(await view(), before);
  await touch("touchEnd");
  await stroke(box.x + 15, box.y + box.height - 15, 60, 0);
  await touch("touchEnd");
  assert.notDeepEqual(await view(), before);
  assert.deepEqual([(await figures(page)).counts, await page.evaluate(() => scrollY), errors], [[0], 0, []]);
  await close();
});

test("a link restores scene and settings", { skip }, async () => {
  const hash = "#scene=twist&size=small&material=silk&wind=2.5&beside=gate&slow=1";
  const { page, close } = await open(browser, site.url + hash);
  await frames(page, 1);
  assert.equal(await page.locator("button[data-scene=twist]").getAttribute("aria-pressed"), "true");
  assert.deepEqual(await page.evaluate(() => [...["material", "wind", "beside"].map((id) => document.getElementById(id).value), document.getElementById("slow").checked]), ["silk", "2.5", "gate", true]);
  await page.locator("#settings summary").click();
  await page.locator("#size").selectOption("medium");
  assert.equal(new URL(page.url()).hash, "#scene=twist&material=silk&wind=2.5&beside=gate&slow=1");
  await close();
});

test("the keyboard pauses, steps and turns the view", { skip }, async () => {
  const { page, close } = await open(browser, `${site.url}#scene=push&size=small`, { reducedMotion: "reduce" });
  await page.waitForFunction(() => globalThis.page?.figures.hashes.length > 0 && globalThis.page.isStarted);
  assert.match((await figures(page)).error, /reduced motion/);
  assert.equal((await figures(page)).frames[0], 0);
  await page.keyboard.press(".");
  await frames(page, 1);
  await page.waitForTimeout(300);
  assert.equal((await figures(page)).frames[0], 1);
  await page.keyboard.press("Space");
  await frames(page, 5);
  await close();
});

test("pictures get coarse where they are late, and sharp again", { skip }, async () => {
  const { page, close } = await open(browser, `${site.url}#scene=push&size=small`, { ...SMALL, reducedMotion: "reduce" });
  await page.waitForFunction(() => globalThis.page?.isStarted);
  const seen = await page.evaluate(() => {
    const { viewer } = globalThis.page;
    let now = performance.now();
    const draw = (count, after, busy = 0) => {
      for (let k = 0; k < count; k += 1) viewer.watchSpeed((now += after), busy);
      return viewer.sharpness;
    };
    return [draw(20, 20), draw(100, 100, 100), draw(11, 100), draw(100, 100), draw(62, 20), draw(62, 20), draw(62, 20)];
  });
  // After each recovery it waits for twice as many pictures.
  assert.deepEqual(seen, [1, 1, 0.75, 0.5, 0.75, 0.75, 1]);
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1400, 400]) {
    test(`axe finds nothing, and all looks as before, at ${width} px, ${colorScheme}`, { skip }, async (context) => {
      const options = { colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" };
      const { page, close } = await open(browser, `${site.url}#scene=push&size=small&compare=1`, options);
      await page.waitForFunction(() => globalThis.page?.isStarted);
      await page.keyboard.press(".");
      await frames(page, 1);
      await looksAs(context, page, `page-${width}-${colorScheme}`);
      await page.locator("#settings summary").click();
      // Its times are those of the next frame.
      await page.keyboard.press(".");
      await frames(page, 2);
      assert.deepEqual(await violations(page), []);
      await close();
    });
  }
}

for (const scene of SCENES) {
  test(`every frame of ${scene} has the bits of this machine in Chromium`, { skip }, async () => {
    const { page, close } = await open(browser, `${site.url}#scene=${scene}&size=small&beside=nothing`, { ...SMALL, reducedMotion: "reduce" });
    await page.waitForFunction(() => globalThis.page?.isStarted);
    await drawNothing(page);
    const expected = reported(scene).frame_hashes;
    const found = await page.evaluate(async (count) => {
      const hashes = [];
      for (let frame = 1; frame <= count; frame += 1) {
        globalThis.page.one();
        while (globalThis.page.figures.frames[0] < frame) await new Promise((resolve) => setTimeout(resolve));
        hashes.push(globalThis.page.figures.hashes[0]);
      }
      return hashes;
    }, expected.length);
    assert.deepEqual(found, expected);
    await close();
  });
}

test("a browser without vectors is told which browsers have them", { skip }, async () => {
  const { page, close } = await open(browser, "about:blank", SMALL);
  await page.route("**/worker.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `WebAssembly.validate = () => false;\n${await response.text()}` });
  });
  await page.goto(site.url);
  await page.waitForFunction(() => globalThis.page?.figures.error.includes("Firefox 89"));
  await close();
});
