// Chromium and a server of `dist/` for the tests.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

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
