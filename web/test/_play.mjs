import { launch, open } from "./browser.mjs";
import { pathToFileURL } from "node:url"; import { join } from "node:path";
import { REPORT, pageOf } from "./support.mjs";
const browser = await launch(); const out = process.argv[2]; const scenes=(process.argv[3]??"pile").split(",");
for (const scene of scenes) for (const scheme of ["light","dark"]) for (const w of [1400,400]) {
  const { page, errors, close } = await open(browser, pathToFileURL(join(REPORT, scene.endsWith(".html")?scene:pageOf(scene))).href, { colorScheme: scheme, viewport: { width: w, height: 900 }, reducedMotion: "reduce" });
  await page.waitForFunction(() => globalThis.player?.figures.isReady);
  await page.locator("input[type=range]").evaluate((s) => { s.value = String(Math.round(s.max*0.5)); s.dispatchEvent(new Event("input")); });
  await page.waitForTimeout(1200);
  await page.screenshot({ path: `${out}/player-${scene.replace(".html","")}-${w}-${scheme}.png` });
  if (errors.length) console.log(errors);
  await close();
}
await browser.close();
