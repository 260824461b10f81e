import { launch, open, serve } from "./browser.mjs";
import { writeFileSync } from "node:fs";
const site = await serve(); const browser = await launch();
const out = process.argv[2];
for (const scheme of ["light","dark"]) for (const w of [1400,400]) {
  const { page, close } = await open(browser, `${site.url}check.html`, { colorScheme: scheme, viewport: { width: w, height: 900 } });
  if (scheme==="light") await page.screenshot({ path: `${out}/check-empty-${w}-${scheme}.png` });
  await page.locator("#sample").click();
  await page.waitForFunction(() => !globalThis.page.figures.busy && globalThis.page.figures.shown !== null);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `${out}/check-sample-${w}-${scheme}.png` });
  if (scheme==="light") { writeFileSync("/tmp/nan.obj","v nan 0 0\n"); await page.locator("#files").setInputFiles(["/tmp/nan.obj"]); await page.waitForFunction(() => !globalThis.page.figures.busy && document.querySelector("#outcome.refused")); await page.screenshot({ path: `${out}/check-refused-${w}-${scheme}.png` }); }
  await close();
}
await browser.close(); site.close();
