// Writes what the tests compare with, once for all files of tests: small runs, with all that can be played of
// them.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { REPORT, SCENES, VERIFY, crate, run } from "./support.mjs";

rmSync(REPORT, { recursive: true, force: true });
const scenes = SCENES.flatMap((scene) => ["--scenario", scene]);
const all = ["--size", "small", "--audit=off", "--player", "all", "--report", REPORT, ...scenes];
const { status, stdout, stderr } = run(VERIFY, crate, all);
assert.equal(status, 0, stdout + stderr);
