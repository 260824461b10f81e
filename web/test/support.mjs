// What this machine computes: the report of `cloth-verify` that `report.mjs` has written, and verdicts of `cloth`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const crate = fileURLToPath(new URL("../cloth-web/", import.meta.url));

/** Scenes whose frames are compared. */
export const SCENES = ["drape-sphere", "pile", "twist", "reef-knot", "cape-walk"];

const workspace = fileURLToPath(new URL("../../Cargo.toml", import.meta.url));

/** A program of a package: in the folder that CLOTH_PROGRAMS names, or else compiled where needed. */
const command = (name, fromPackage) => process.env.CLOTH_PROGRAMS
  ? [join(process.env.CLOTH_PROGRAMS, name)]
  : ["cargo", "run", "--quiet", "--locked", "--manifest-path", workspace, "--package", fromPackage, "--bin", name, "--"];

export const CLOTH = command("cloth", "cloth-cli");
export const VERIFY = command("cloth-verify", "cloth-verify");

/** Runs a program in a folder, and returns what `spawnSync` does. */
export function run([program, ...first], folder, args) {
  const done = spawnSync(program, [...first, ...args], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(done.status !== null && done.status < 3, done.error?.message ?? done.stderr);
  return done;
}

/** The folder of the report. */
export const REPORT = join(crate, "target", "report");

/** The file of the page that plays a scene of the report. */
export const pageOf = (name) => readdirSync(REPORT).find((file) => file.startsWith(`${name}-`) && file.endsWith(".html"));

/** A scene of the report. */
export function reported(name) {
  return JSON.parse(readFileSync(join(REPORT, "verify.json"), "utf8")).scenarios.find((scenario) => scenario.name === name);
}

/** What `cloth check` says of files of a folder: by name its block of text, or the line of the error. */
export function checkHere(folder, names, options = []) {
  const done = run(CLOTH, folder, ["check", "--details", ...names, ...options]);
  const said = new Map();
  // A block begins with its name, and its other lines are indented.
  for (const block of done.stdout.split(/^(?=\S)/m)) said.set(names.find((name) => block.startsWith(`${name}: `)), { text: block });
  for (const line of done.stderr.split("\n").filter((line) => line.startsWith("cloth: "))) {
    const error = line.slice("cloth: ".length);
    said.set(names.find((name) => error.startsWith(`${name}:`)), { error });
  }
  return said;
}
