// The pages of a report in Chromium, from the disk: runs play, and what intersects is seen.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { SMALL, launch, looksAs, open, program, violations } from "./browser.mjs";
import { Simulation, initSync } from "../cloth-web/pkg/cloth_web.js";
import { REPORT, SCENES, crate, pageOf, reported } from "./support.mjs";

const skip = program === undefined ? "there is no Chromium; CHROMIUM names one" : false;
let browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const figures = (page) => page.evaluate(() => globalThis.player.figures);

async function play(name, options = {}) {
  const opened = await open(browser, pathToFileURL(join(REPORT, name)).href, { ...SMALL, ...options });
  await opened.page.waitForFunction(() => globalThis.player?.figures.isReady);
  return opened;
}

/** Moves the slider, as an arrow key does. */
function scrub(page, state) {
  return page.locator("input[type=range]").evaluate((slider, value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event("input"));
  }, state);
}

test("the report links to a page that plays by itself", { skip }, async () => {
  const { page, errors, close } = await open(browser, pathToFileURL(join(REPORT, "index.html")).href, SMALL);
  await page.getByRole("link", { name: "Play pile" }).click();
  await page.waitForFunction(() => globalThis.player?.figures.state > 5);
  await page.getByRole("link", { name: "Back to the report" }).click();
  assert.ok(page.url().endsWith(`/index.html#s${SCENES.indexOf("pile")}`), page.url());
  assert.deepEqual(errors, []);
  await close();
});

test("scrubbing shows the counts of the report beside those of its control", { skip }, async () => {
  const { page, errors, close } = await play(pageOf("pile"), { reducedMotion: "reduce" });
  const { per_frame: counts } = reported("pile");
  assert.equal((await figures(page)).counts.length, 2, "it opens with its control");
  let worst = 0;
  for (const state of [60, 3, 20, 59]) {
    await scrub(page, state);
    const { frame, counts: shown } = await figures(page);
    assert.deepEqual(shown, [counts.intersections[frame - 1], counts.control_intersections[frame - 1]], `frame ${frame}`);
    worst = Math.max(worst, shown[1]);
  }
  assert.ok(worst > 100, String(worst));
  assert.equal(await page.locator("#count-free output.bad").count(), 1);
  await page.keyboard.press("Home");
  assert.equal((await figures(page)).frame, 0);
  await page.keyboard.press(".");
  assert.equal((await figures(page)).state, 1);
  await page.locator(".timeline canvas").scrollIntoViewIfNeeded();
  const box = await page.locator(".timeline canvas").boundingBox();
  await page.mouse.click(box.x + box.width - 1, box.y + 30);
  assert.equal((await figures(page)).frame, counts.intersections.length);
  assert.deepEqual(errors, []);
  await close();
});

test("what is drawn is where the simulation was, within a tenth of a millimetre", { skip }, async () => {
  initSync({ module: readFileSync(`${crate}pkg/cloth_web_bg.wasm`) });
  const { page, close } = await play(pageOf("pile"), { reducedMotion: "reduce" });
  const simulation = new Simulation("pile", { size: "small" });
  const { vertices } = simulation.layout();
  let frame = 0;
  // Forwards, and backwards to states that are unpacked from an earlier one.
  const states = [0, 1, 40, 75];
  const seen = await page.evaluate((order) => {
    const { film } = globalThis.player.sides[0];
    return order.map((state) => [film.recording.frames[state], [...film.state(state).positions]]);
  }, [...states].reverse());
  for (const [number, positions] of seen.reverse()) {
    for (; frame < number; frame += 1) simulation.step();
    const error = Math.max(...simulation.positions().subarray(0, 3 * vertices).map((x, k) => Math.abs(x - positions[k])));
    assert.equal(positions.length, 3 * vertices);
    assert.ok(error <= 1.0001e-4 && (number === 0 || error > 0), `frame ${number}: ${error} m`);
  }
  await close();
});

test("faces are red where a state intersects, and nowhere else", { skip }, async () => {
  const { page, close } = await play(pageOf("pile"), { reducedMotion: "reduce" });
  const marked = await page.evaluate(() => globalThis.player.sides.map(({ film }) =>
    film.recording.frames.map((frame, state) => [film.recording.intersections[frame], film.state(state).marked.length])));
  assert.ok(marked.flat().every(([count, faces]) => (count > 0) === (faces > 0)));
  assert.ok(marked[1].some(([count]) => count > 0) && marked[0].every(([count]) => count === 0));
  await close();
});

test("all states of a character and its cape are unpacked", { skip }, async () => {
  const { page, errors, close } = await play(pageOf("cape-walk"), { reducedMotion: "reduce" });
  const last = Number(await page.locator("input[type=range]").getAttribute("max"));
  for (let state = 0; state <= last; state += 10) await scrub(page, state);
  await page.keyboard.press("End");
  assert.equal((await figures(page)).state, last);
  await page.getByLabel("Beside it").selectOption("0");
  await page.waitForFunction(() => globalThis.player.figures.counts.length === 1);
  assert.deepEqual([(await figures(page)).counts, errors], [[0], []]);
  await close();
});

test("a frame far longer than others is named, and hides none", { skip }, async () => {
  const data = pageOf("twist").replace("html", "js");
  const recorded = JSON.parse(readFileSync(join(REPORT, data), "utf8").replace(/^[^{]*/, "").replace(/;\s*$/, ""));
  const { stageMs } = recorded.runs[0];
  stageMs.forEach((times, frame) => times.fill(frame === 49 ? 800 : 1));
  writeFileSync(join(REPORT, "long.js"), `globalThis.clothRecording=${JSON.stringify(recorded)};`);
  writeFileSync(join(REPORT, "long.html"), readFileSync(join(REPORT, pageOf("twist")), "utf8").replace(data, "long.js"));
  const { page, close } = await play("long.html", { reducedMotion: "reduce" });
  assert.equal(await page.locator(".timeline span").last().textContent(), "Up to 7.0 ms a frame; 1 above, most 5,600 ms in frame 50");
  const columns = await page.locator(".timeline canvas").evaluate((canvas) => {
    const ratio = Math.min(devicePixelRatio, 2);
    const context = canvas.getContext("2d");
    // At half the height of the bars of frames before it, of itself, and of frames after it.
    return [40, 50, 60].map((frame) => {
      const x = Math.floor(((frame - 0.5) / globalThis.player.played.runs[0].stageMs.length) * canvas.width);
      return context.getImageData(x, canvas.height - 24 * ratio, 1, 1).data[3] > 0;
    });
  });
  assert.deepEqual(columns, [true, true, true]);
  await close();
});

test("a page without its data says so", { skip }, async () => {
  const page = readFileSync(join(REPORT, pageOf("pile")), "utf8").replace(pageOf("pile").replace("html", "js"), "gone.js");
  writeFileSync(join(REPORT, "alone.html"), page);
  const opened = await open(browser, pathToFileURL(join(REPORT, "alone.html")).href);
  assert.match(await opened.page.locator("#message").textContent(), /data of this page is missing/);
  await opened.close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1400, 400]) {
    test(`axe finds nothing in the player, and it looks as before, at ${width} px, ${colorScheme}`, { skip }, async (context) => {
      const { page, close } = await play(pageOf("pile"), { colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
      await scrub(page, 30);
      await looksAs(context, page, `player-${width}-${colorScheme}`);
      assert.deepEqual(await violations(page), []);
      await close();
    });
  }
}
