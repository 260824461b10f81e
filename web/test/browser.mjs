// Chromium and a server of `dist/` for the tests, and what they do with pages of any kind.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import { chromium } from "playwright-core";
import { PNG } from "pngjs";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** The program of the distribution; CHROMIUM names another. */
export const program = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => path && existsSync(path));

/** Serves the folder on this machine. */
export async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const file = join(dist, path.endsWith("/") ? `${path}index.html` : path);
    try {
      const body = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** For what only has to run: without a graphics card, pixels take longer than cloth. */
export const SMALL = { viewport: { width: 400, height: 300 } };

/** A browser that draws without a graphics card. */
export function launch() {
  return chromium.launch({ executablePath: program, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
}

/** A page of the site, and what it complained of. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (said) => said.type() === "error" && errors.push(said.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(url);
  return { page, errors, close: () => context.close() };
}

/** What the page says of itself. */
export const figures = (page) => page.evaluate(() => globalThis.page.figures);

/** Waits until every side has so many frames. */
export function frames(page, count) {
  return page.waitForFunction((n) => globalThis.page?.figures.frames.length > 0 && globalThis.page.figures.frames.every((f) => f >= n), count, { timeout: 120000 });
}

/** What axe complains of. */
export async function violations(page) {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}

/** Why pictures are not compared: letters look otherwise on other machines. Nothing if they are. */
function otherLetters() {
  const font = (() => {
    try {
      return execFileSync("fc-match", ["-f", "%{family} %{fontversion}", "system-ui"], { encoding: "utf8" });
    } catch {
      return "no fontconfig";
    }
  })();
  const file = new URL("screenshots/font.txt", import.meta.url);
  if (process.env.UPDATE_SCREENSHOTS) {
    mkdirSync(new URL("screenshots/", import.meta.url), { recursive: true });
    writeFileSync(file, `${font}\n`);
  }
  const theirs = existsSync(file) ? readFileSync(file, "utf8").trim() : "none";
  return theirs === font ? false : `the screenshots have letters of ${theirs}, and this machine has ${font}`;
}

const letters = otherLetters();

/**
 * Compares the page but for its canvases with `screenshots/NAME.png`; UPDATE_SCREENSHOTS writes that instead.
 * The test says so where pictures cannot be compared.
 */
export async function looksAs(context, page, name) {
  if (letters !== false) return context.diagnostic(`${name} is not compared: ${letters}`);
  const file = new URL(`screenshots/${name}.png`, import.meta.url);
  const picture = await page.screenshot({ mask: [page.locator("canvas")], animations: "disabled" });
  if (process.env.UPDATE_SCREENSHOTS) return writeFileSync(file, picture);
  const [now, before] = [PNG.sync.read(picture), PNG.sync.read(readFileSync(file))];
  assert.deepEqual([now.width, now.height], [before.width, before.height]);
  const different = pixelmatch(now.data, before.data, null, now.width, now.height, { threshold: 0.2 });
  // Masks are magenta; they are the same in both, and no part of what is compared.
  let compared = 0;
  for (let k = 0; k < before.data.length; k += 4) compared += Number(before.data[k] !== 255 || before.data[k + 1] !== 0 || before.data[k + 2] !== 255);
  const share = different / compared;
  assert.ok(share <= 0.01, `${(100 * share).toFixed(2)} % of the pixels of ${name} are others; UPDATE_SCREENSHOTS=1 renews it`);
}
