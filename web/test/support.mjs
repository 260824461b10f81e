// Hashes and reports of this machine, by `cloth-web/src/main.rs`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const crate = fileURLToPath(new URL("../cloth-web/", import.meta.url));

/** Scenes whose frames are compared. */
export const SCENES = ["drape-sphere", "pile", "twist", "reef-knot", "cape-walk"];

/** What the program of this machine prints. */
function output(...args) {
  const all = ["run", "--quiet", "--locked", "--profile", "host", "--", ...args];
  const done = spawnSync("cargo", all, { cwd: crate, encoding: "utf8", maxBuffer: 1 << 26 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

let known;

/** All hashes of each scene, from the start on. */
export function hashesHere(size, scenes) {
  const lines = () => output("hashes", size, ...scenes).trim().split("\n").map((line) => line.split(" "));
  known ??= new Map(lines().map(([name, ...hashes]) => [name, hashes]));
  return known;
}

/** Writes the report of small scenarios to a folder. */
export function writeReport(folder, scenarios) {
  output("report", folder, ...scenarios);
}
