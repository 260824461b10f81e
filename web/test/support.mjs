// What this machine computes: hashes and reports by `cloth-web/src/main.rs`, and verdicts by the command `cloth`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const crate = fileURLToPath(new URL("../cloth-web/", import.meta.url));

/** Scenes whose frames are compared. */
export const SCENES = ["drape-sphere", "pile", "twist", "reef-knot", "cape-walk"];

/** The files of the module: with vectors of 128 bits, and without. */
export const MODULES = ["cloth_web_bg.wasm", "cloth_web_plain_bg.wasm"];

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

const workspace = fileURLToPath(new URL("../../Cargo.toml", import.meta.url));

/** The command `cloth`: the program that CLOTH names, or else the one of the workspace, compiled where needed. */
const command = process.env.CLOTH
  ? [process.env.CLOTH]
  : ["cargo", "run", "--quiet", "--locked", "--manifest-path", workspace, "--package", "cloth-cli", "--"];

/** What `cloth check` says of files of a folder: by name its block of text, or the line of the error. */
export function checkHere(folder, names, options = []) {
  const [program, ...args] = [...command, "check", ...names, ...options];
  const done = spawnSync(program, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(done.status !== null && done.status < 3, done.stderr);
  const said = new Map();
  // A block begins with its name, and its other lines are indented.
  for (const block of done.stdout.split(/^(?=\S)/m)) said.set(names.find((name) => block.startsWith(`${name}: `)), { text: block });
  for (const line of done.stderr.split("\n").filter((line) => line.startsWith("cloth: "))) {
    const error = line.slice("cloth: ".length);
    said.set(names.find((name) => error.startsWith(`${name}:`)), { error });
  }
  return said;
}
