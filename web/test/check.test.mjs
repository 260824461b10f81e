// The page that checks files, in Chromium: verdicts and errors are those of `cloth check`, and nothing ends
// the worker.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { after, before, test } from "node:test";
import { launch, looksAs, open, program, serve, violations } from "./browser.mjs";
import { CLOTH, checkHere, run } from "./support.mjs";

const skip = program === undefined ? "there is no Chromium; CHROMIUM names one" : false;
const folder = mkdtempSync(join(tmpdir(), "cloth-check-"));
let browser, site;
before(async () => {
  if (skip) return;
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true });
});

function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A face in the plane y = 0, and another that stands across it, its tip at a height. */
const corners = (tip) => [0, 0, 0, 4, 0, 0, 0, 0, 4, 1, tip, 1, 1, tip + 3, 1.5, 1.5, tip + 3, 1];
const obj = (tip) => `${corners(tip).join(" ").replace(/(\S+ \S+ \S+) ?/g, "v $1\n")}f 1 2 3\nf 4 5 6\n`;

/** A PC2 cache of these frames. */
function pc2(frames) {
  const bytes = Buffer.alloc(32 + frames.length * frames[0].length * 4);
  bytes.write("POINTCACHE2\0", "latin1");
  [1, frames[0].length / 3].forEach((n, k) => bytes.writeInt32LE(n, 12 + 4 * k));
  [10, 1].forEach((n, k) => bytes.writeFloatLE(n, 20 + 4 * k));
  bytes.writeInt32LE(frames.length, 28);
  frames.flat().forEach((n, k) => bytes.writeFloatLE(n, 32 + 4 * k));
  return bytes;
}

/** A sheet of n x n squares. */
function sheet(n) {
  const lines = [];
  for (let i = 0; i <= n; i += 1) for (let j = 0; j <= n; j += 1) lines.push(`v ${i / n} 0 ${j / n}`);
  const at = (i, j) => i * (n + 1) + j + 1;
  for (let i = 0; i < n; i += 1) for (let j = 0; j < n; j += 1) lines.push(`f ${at(i, j)} ${at(i, j + 1)} ${at(i + 1, j + 1)} ${at(i + 1, j)}`);
  return lines.join("\n");
}

const figures = (page) => page.evaluate(() => globalThis.page.figures);
const text = (page, id) => page.locator(`#${id}`).textContent();

/** Gives files to the page, and waits for the verdict. */
async function give(page, paths, timeout = 120000) {
  await page.locator("#files").setInputFiles(paths);
  await page.waitForFunction(() => !globalThis.page.figures.busy && (!document.getElementById("outcome").hidden || globalThis.page.figures.message !== ""), null, { timeout });
}

/** Waits until a state is seen. */
const seen = (page, state) => page.waitForFunction((n) => globalThis.page.figures.shown === n, state);

const CROSSING = file("crossing.obj", obj(-1));

test("a dropped mesh has the count, text and JSON of the command", { skip }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "crossing.obj"));
    return data;
  }, readFileSync(CROSSING, "utf8"));
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await seen(page, 0);
  assert.deepEqual([await text(page, "count"), await text(page, "unit")], ["2", "intersections"]);
  assert.equal(await page.locator("#count.bad").count(), 1);
  assert.equal((await figures(page)).marked, 2);
  const json = join(folder, "native.json");
  const said = checkHere(folder, ["crossing.obj"], ["--json", json]);
  assert.equal(await text(page, "text"), said.get("crossing.obj").text);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
  const ours = JSON.parse(readFileSync(await download.path(), "utf8"));
  const { provenance: theirs, ...command } = JSON.parse(readFileSync(json, "utf8"));
  const { provenance, ...report } = ours;
  assert.deepEqual(report, command);
  assert.deepEqual(Object.keys(provenance), Object.keys(theirs));
  assert.deepEqual([provenance.version, provenance.arguments], [theirs.version, ["check", "crossing.obj"]]);
  assert.match(provenance.date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const before = (await figures(page)).target;
  await page.locator("#lists button").first().click();
  assert.notDeepEqual((await figures(page)).target, before, "the view turns to the intersection");
  assert.deepEqual(errors, []);
  await close();
});

test("a dropped folder is read with all that is in it", { skip }, async () => {
  const root = mkdtempSync(join(folder, "wardrobe-"));
  for (const name of ["shirt", "skirt"]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "mesh.obj"), obj(name === "shirt" ? -1 : 1));
    writeFileSync(join(root, name, "run.pc2"), pc2([corners(1), corners(name === "shirt" ? -1 : 0.5)]));
    writeFileSync(join(root, name, "notes.txt"), "no mesh");
  }
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  const devtools = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await devtools.send("Input.dispatchDragEvent", { type, x: 300, y: 200, data: { items: [], files: [root], dragOperationsMask: 1 } });
  }
  await page.waitForFunction(() => document.querySelectorAll("#subjects button").length === 2 && !globalThis.page.figures.busy);
  const said = await page.locator("#subjects button").allTextContents();
  const name = basename(root);
  assert.deepEqual(said, [`${name}/shirt/mesh.obj: 2`, `${name}/skirt/mesh.obj: clean`]);
  assert.deepEqual(errors, []);
  await close();
});

test("a cache with its mesh has a time line to scrub", { skip }, async () => {
  const run = file("run.pc2", pc2([corners(1), corners(0.5), corners(-1), corners(0.25)]));
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  await give(page, [run, CROSSING]);
  await seen(page, 2);
  assert.match(await text(page, "verdict"), /1 of 4 frames intersect; the worst is frame 12/);
  assert.match(await text(page, "frame-text"), /^frame 12: 2 intersections, \d+ pairs? crossed on the way to it$/);
  await page.locator("#frame").focus();
  await page.keyboard.press("Home");
  await seen(page, 0);
  assert.equal((await figures(page)).marked, 0);
  assert.equal(await text(page, "frame-text"), "frame 10: 0 intersections");
  const box = await page.locator("#strip").boundingBox();
  await page.mouse.click(box.x + 0.6 * box.width, box.y + 5);
  await seen(page, 2);
  // Of frame 13, which is clean, the motion is not.
  await page.mouse.click(box.x + 0.9 * box.width, box.y + 5);
  await seen(page, 3);
  assert.match(await text(page, "frame-text"), /^frame 13: 0 intersections, \d+ pairs? crossed/);
  await page.locator("#lists button", { hasText: "crosses" }).first().click();
  await seen(page, 2);
  assert.deepEqual(errors, []);
  await close();
});

test("several meshes and a numbered sequence are judged one by one", { skip }, async () => {
  const frames = [1, 2, 3].map((n) => file(`s_${n}.obj`, obj(n - 2.5)));
  const { page, close } = await open(browser, `${site.url}check.html`);
  await give(page, [...frames, CROSSING, file("clean.obj", obj(1))]);
  const shown = await page.locator("#subjects button").allTextContents();
  assert.deepEqual(shown, ["s_*.obj: 2", "crossing.obj: 2", "clean.obj: clean"]);
  await page.locator("#subjects button", { hasText: "clean.obj" }).click();
  assert.deepEqual([await text(page, "count"), await text(page, "unit")], ["0", "clean"]);
  await close();
});

/** A tetrahedron of height 3, moved up, with its top above x = z = 1. */
const body = (up) => [-1, up, -1, 5, up, -1, 1, up, 5, 1, up + 3, 1];
const bodyObj = (up) => `${body(up).join(" ").replace(/(\S+ \S+ \S+) ?/g, "v $1\n")}f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n`;
/** A face, in a plane at a height. */
const garment = (size, height) => `v ${1 - size} ${height} ${1 - size}\nv ${1 + size} ${height} ${1 - size}\nv 1 ${height} ${1 + size}\nf 1 2 3\n`;

/** What the command says of the garments and the body in the folder. */
const checkDressed = (garments, options) => run(CLOTH, folder, ["check", ...garments, ...options]).stdout;

/** Rows of figures, by name. */
const figureRows = async (page) => new Map(await page.locator("#kinds div").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))));

test("a garment that cuts a body is judged with it, as by the command", { skip }, async () => {
  const files = [file("cuts.obj", garment(8, 1)), file("my body.obj", bodyObj(0))];
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  await give(page, files);
  await seen(page, 0);
  const json = join(folder, "dressed.json");
  assert.equal(await text(page, "text"), checkDressed(["cuts.obj"], ["--body", "my body.obj", "--json", json]));
  assert.deepEqual([await text(page, "count"), await text(page, "unit")], ["3", "intersections with cloth"]);
  const said = await figureRows(page);
  assert.deepEqual([said.get("intersections of cloth with body"), said.get("vertices inside of a body"), said.get("my body.obj")], ["3", "0", "4 triangles, body, closed"]);
  assert.deepEqual([(await figures(page)).marked, (await figures(page)).inside], [1, 0]);
  assert.match(await page.locator("#lists button").first().textContent(), /^edge \d-\d of my body\.obj crosses face 0 of cuts\.obj$/);
  assert.ok(await page.locator("#legend").isVisible());
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
  const { provenance, ...report } = JSON.parse(readFileSync(await download.path(), "utf8"));
  const { provenance: theirs, ...command } = JSON.parse(readFileSync(json, "utf8"));
  assert.deepEqual(report, command);
  assert.deepEqual(provenance.arguments, theirs.arguments.slice(0, 4));
  // Without the body, each is judged for itself.
  const box = page.locator("#subjects input").last();
  await box.focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !globalThis.page.figures.busy && document.querySelectorAll("#subjects button").length === 2);
  assert.deepEqual(await page.locator("#subjects button").allTextContents(), ["cuts.obj: clean", "my body.obj: clean"]);
  assert.match(await page.locator("#subjects p").textContent(), /^Each mesh is judged for itself\./);
  assert.ok(await box.evaluate((one) => one === document.activeElement), "the box keeps the focus");
  await page.keyboard.press("Space");
  await seen(page, 0);
  assert.equal(await text(page, "count"), "3");
  assert.deepEqual(errors, []);
  await close();
});

test("a garment inside of a body is found where nothing meets", { skip }, async () => {
  const files = [file("small.obj", garment(0.1, 1)), file("cut-out.obj", "v 0 9 0\nv 1 9 0\nv 0 9 1\nf 1 2 3\n"), file("SMPL_male.obj", bodyObj(0).replace("f 1 2 3\n", ""))];
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  await give(page, files);
  await seen(page, 0);
  assert.equal(await text(page, "text"), checkDressed(["small.obj", "cut-out.obj"], ["--body", "SMPL_male.obj"]));
  assert.deepEqual([await text(page, "count"), await text(page, "unit")], ["3", "vertices inside of a body"]);
  assert.match((await figureRows(page)).get("SMPL_male.obj"), /, body, open$/);
  assert.deepEqual([(await figures(page)).marked, (await figures(page)).inside], [0, 1]);
  assert.match(await text(page, "lists"), /SMPL_male\.obj is open, or its faces disagree on their outside: inside is where its winding number/);
  const before = (await figures(page)).target;
  await page.locator("#lists button", { hasText: /^vertex \d of small\.obj: \d.* mm in SMPL_male\.obj$/ }).click();
  assert.notDeepEqual((await figures(page)).target, before, "the view turns to what is deepest");
  assert.deepEqual(errors, []);
  await close();
});

test("a body moves by its cache, frame by frame", { skip }, async () => {
  const walk = pc2([body(9), body(0), body(9)]);
  const files = [file("dress.obj", garment(8, 1)), file("body.obj", bodyObj(9)), file("body.pc2", walk)];
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  await give(page, files);
  await seen(page, 1);
  assert.equal(await text(page, "text"), checkDressed(["dress.obj"], ["--body", "body.obj", "--body-cache", "body.pc2"]));
  assert.match(await text(page, "verdict"), /^dress\.obj on body\.obj: 1 of 3 frames not clean; the worst is frame 11/);
  assert.match(await text(page, "frame-text"), /^frame 11: 3 intersections with cloth, deepest .* mm, \d+ pairs? crossed on the way to it$/);
  assert.equal((await figures(page)).marked, 1);
  await page.locator("#frame").focus();
  await page.keyboard.press("Home");
  await seen(page, 0);
  assert.equal((await figures(page)).marked, 0);
  // Of other numbers of frames, what the command says.
  await give(page, [...files, file("dress.pc2", pc2([[-7, 1, -7, 9, 1, -7, 1, 1, 9], [-7, 1, -7, 9, 1, -7, 1, 1, 9]]))]);
  assert.match(await text(page, "verdict"), /has 3 frames, but dress\.pc2 has 2; give frames of the same times$/);
  assert.deepEqual(errors, []);
  await close();
});

test("doubled faces and folds have the text of the command", { skip }, async () => {
  const [one, two] = ["v 0 0 0\nv 4 0 0\nv 0 0 4\n", "f 1 2 3\n"];
  const made = { "doubled.obj": `${one}${one}${two}f 4 5 6\n`, "folded.obj": `${one}v 1 0 1\n${two}f 1 3 4\n` };
  for (const [name, content] of Object.entries(made)) file(name, content);
  const said = checkHere(folder, Object.keys(made));
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  for (const [name, unit, marked] of [["doubled.obj", "face that lies on another", 2], ["folded.obj", "flat fold", 2]]) {
    await give(page, [join(folder, name)]);
    await seen(page, 0);
    assert.deepEqual(await outcome(page), said.get(name));
    assert.deepEqual([await text(page, "count"), await text(page, "unit"), (await figures(page)).marked], ["1", unit, marked]);
    assert.equal(await page.locator("#lists button").count(), 1);
  }
  assert.deepEqual(errors, []);
  await close();
});

/** A glTF file of the two faces; a joint with the second one moves down through the first within 0.2 s. */
function skinned() {
  const parts = [
    new Float32Array(corners(1)), new Uint16Array([0, 1, 2, 3, 4, 5]), new Uint8Array([0, 0, 0, 1, 1, 1].flatMap((joint) => [joint, 0, 0, 0])),
    new Float32Array([0, 0, 0, 0, 0, 0].flatMap(() => [1, 0, 0, 0])), new Float32Array([0, 0.2]), new Float32Array([0, 0, 0, 0, -3, 0]),
  ].map((array) => Buffer.from(array.buffer));
  const offset = (k) => parts.slice(0, k).reduce((sum, part) => sum + part.length, 0);
  const accessor = (bufferView, componentType, count, type) => ({ bufferView, componentType, count, type });
  return JSON.stringify({
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, 1, 2] }], nodes: [{ name: "still" }, { name: "falls" }, { mesh: 0, skin: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 2, WEIGHTS_0: 3 }, indices: 1 }] }], skins: [{ joints: [0, 1] }],
    animations: [{ name: "Fall", channels: [{ sampler: 0, target: { node: 1, path: "translation" } }], samplers: [{ input: 4, output: 5 }] }],
    accessors: [
      { ...accessor(0, 5126, 6, "VEC3"), min: [0, 0, 0], max: [4, 4, 4] }, accessor(1, 5123, 6, "SCALAR"), accessor(2, 5121, 6, "VEC4"),
      accessor(3, 5126, 6, "VEC4"), { ...accessor(4, 5126, 2, "SCALAR"), min: [0], max: [0.2] }, accessor(5, 5126, 2, "VEC3"),
    ],
    bufferViews: parts.map((part, k) => ({ buffer: 0, byteOffset: offset(k), byteLength: part.length })),
    buffers: [{ uri: `data:application/octet-stream;base64,${Buffer.concat(parts).toString("base64")}`, byteLength: offset(parts.length) }],
  });
}

test("a character is judged in its clip, with the text of the command", { skip }, async () => {
  const path = file("skinned.gltf", skinned());
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  await give(page, [path]);
  const said = checkHere(folder, ["skinned.gltf"]).get("skinned.gltf");
  assert.match(said.text, /frames 1 to 7 are clip "Fall"/);
  assert.deepEqual(await outcome(page), said);
  assert.ok(Number(await text(page, "count")) > 0);
  await page.waitForFunction(() => globalThis.page.figures.shown !== null);
  assert.ok((await figures(page)).marked > 0);
  assert.deepEqual(errors, []);
  await close();
});

test("one click judges the sample, which crosses in its last frames", { skip }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  await page.locator("#sample").click();
  await page.waitForFunction(() => !globalThis.page.figures.busy && globalThis.page.figures.shown !== null);
  assert.match(await text(page, "verdict"), /^band_\*\.obj: \d of 16 frames intersect; the worst is frame 16/);
  assert.ok(Number(await text(page, "count")) > 10);
  await page.locator("#frame").focus();
  await page.keyboard.press("Home");
  await seen(page, 0);
  assert.equal((await figures(page)).marked, 0);
  assert.deepEqual(errors, []);
  await close();
});

test("what cannot be judged has the error of the command", { skip }, async () => {
  const made = {
    "nan.obj": "v 0 0 0\nv nan 0 0\nv 0 0 1\nf 1 2 3\n", "empty.obj": "", "empty.ply": "", "empty.glb": "", "empty.npz": "",
    "range.obj": "v 0 0 0\nf 1 2 3\n", "cut.ply": "ply\nformat ascii 1.0\nelement vertex 3\n", "unknown.fbx": "x",
    "text.npz": "no archive", "json.gltf": "{", "cache.pc2": "POINTCACHE2", "point.obj": "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n",
  };
  for (const [name, content] of Object.entries(made)) file(name, content);
  const said = checkHere(folder, Object.keys(made));
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  for (const name of Object.keys(made)) {
    await give(page, [join(folder, name)]);
    const found = await outcome(page);
    assert.equal(await page.locator("#download").isHidden(), "error" in found, "no JSON of a refusal");
    assert.deepEqual(found, name === "cache.pc2" ? { error: `${said.get(name).error}. A cache has no faces: give it together with the mesh it was made from, under the same name if there are several.` } : said.get(name), name);
  }
  const short = file("short.pc2", pc2([corners(1)]).subarray(0, 60));
  await give(page, [CROSSING, short]);
  assert.match(await text(page, "verdict"), /^short\.pc2: holds 60 bytes, but 1 frames of 6 points take 104/);
  await give(page, [file("lone.gltf", JSON.stringify({ asset: { version: "2.0" }, buffers: [{ uri: "lone.bin", byteLength: 4 }] }))]);
  assert.doesNotMatch((await outcome(page)).error ?? "", /operation not supported/);
  assert.deepEqual(errors, []);
  await close();
});

test("beyond the limits the command is named", { skip }, async () => {
  const { page, close } = await open(browser, `${site.url}check.html`);
  await give(page, [file("large.obj", sheet(317))]);
  assert.equal(await text(page, "verdict"), "large.obj: 200,978 triangles are more than the 200,000 that are checked in a browser. On your machine: cloth check large.obj");
  await page.evaluate(() => {
    // 600 MB that take no memory until they are read.
    const part = new Blob([new Uint8Array(1e6)]);
    const data = new DataTransfer();
    data.items.add(new File(["v 0 0 0"], "my shirt.obj"));
    data.items.add(new File(Array.from({ length: 600 }, () => part), "run.pc2"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
  });
  await page.waitForFunction(() => document.getElementById("verdict").textContent.includes("500 that are read"));
  assert.match(await text(page, "verdict"), /On your machine: cloth check 'my shirt\.obj' --cache run\.pc2$/);
  await close();
});

test("a check can be cancelled, and another begun", { skip }, async () => {
  const still = Array.from({ length: 400 }, () => corners(1));
  const long = file("long.pc2", pc2(still.map(() => Array.from({ length: 101 * 101 }, (_, v) => [Math.floor(v / 101), 0, v % 101]).flat())));
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  await page.locator("#files").setInputFiles([file("long.obj", sheet(100)), long]);
  await page.waitForFunction(() => /[1-9]\d* of 400 states/.test(document.getElementById("doing").textContent), null, { timeout: 60000 });
  await page.locator("#cancel").click();
  const { busy, message } = await figures(page);
  assert.deepEqual([busy, message], [false, "Cancelled: nothing was judged to its end."]);
  await give(page, [CROSSING]);
  assert.equal(await text(page, "count"), "2");
  assert.deepEqual(errors, []);
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1400, 400]) {
    test(`axe finds nothing, and all looks as before, at ${width} px, ${colorScheme}`, { skip }, async (context) => {
      const { page, close } = await open(browser, `${site.url}check.html`, { colorScheme, viewport: { width, height: 900 } });
      const axe = async (step) => {
        assert.deepEqual(await violations(page), [], step);
        await looksAs(context, page, `check-${step}-${width}-${colorScheme}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
      };
      await axe("empty");
      await give(page, [file("crossing.pc2", pc2([corners(1), corners(0.5), corners(-1), corners(0.25)])), CROSSING, file("nan.obj", "v nan 0 0")]);
      await seen(page, 2);
      await page.locator("#lists button").first().click();
      await page.locator("details summary").click();
      await axe("judged");
      await page.locator("#subjects button", { hasText: "nan.obj" }).click();
      await axe("refused");
      await give(page, [file("coat.obj", garment(8, 1)), file("body.obj", bodyObj(0))]);
      await seen(page, 0);
      await axe("dressed");
      await close();
    });
  }
}

/** What the page says of the one subject that it was given. */
async function outcome(page) {
  const isRefused = await page.locator("#outcome.refused").count();
  return isRefused ? { error: await text(page, "verdict") } : { text: await text(page, "text") };
}

const stress = process.env.CLOTH_CORPUS === undefined ? undefined : join(process.env.CLOTH_CORPUS, "stress");
const noStress = stress === undefined ? "CLOTH_CORPUS is not set" : skip;

test("every hostile file has the text of the command, and ends no worker", { skip: noStress }, async () => {
  const paths = readdirSync(stress, { recursive: true }).map((path) => join(stress, path)).filter((path) => statSync(path).isFile());
  const folders = [...new Set(paths.map(dirname))];
  const { page, errors, close } = await open(browser, `${site.url}check.html`);
  const different = [];
  let judged = 0;
  for (const folder of folders) {
    const files = paths.filter((path) => dirname(path) === folder);
    const names = files.map((path) => basename(path));
    const said = checkHere(folder, names);
    for (const name of names) {
      const sides = extname(name) === ".gltf" ? files.filter((path) => [".bin", ".png"].includes(extname(path))) : [];
      await give(page, [join(folder, name), ...sides]);
      const found = await outcome(page);
      const expected = said.get(name);
      // What a file names and is not there: a browser has no folder to look into.
      if (expected?.error) expected.error = expected.error.replace("cannot read: No such file or directory (os error 2)", "is not among the files that were given; add it");
      judged += Number("text" in found);
      if (found.text !== expected?.text || found.error !== expected?.error) different.push({ folder, name, found, expected });
      assert.equal((await figures(page)).message, "", `${name}: the worker goes on`);
    }
  }
  console.log(`# ${paths.length} files, ${judged} judged and ${paths.length - judged} refused as by the command`);
  assert.deepEqual(different, []);
  assert.deepEqual(errors, []);
  await close();
});
