// Runs the module under node and compares its state hashes with those of the host.
//
//     node run.mjs target/wasm32-unknown-unknown/release/cloth_wasm.wasm "$(cargo run --release --quiet)"
import { readFile } from "node:fs/promises";

const [file, expected] = process.argv.slice(2);
const module = await WebAssembly.compile(await readFile(file));
const imports = WebAssembly.Module.imports(module);
if (imports.length > 0) {
  console.error(`the module imports ${imports.map((i) => `${i.module}.${i.name}`).join(", ")}; it must run without any`);
  process.exit(1);
}
const { exports } = await WebAssembly.instantiate(module, {});
const start = performance.now();
const hashes = [10, 20, 30].map((frames) => BigInt.asUintN(64, exports.cloth_state_hash(frames)).toString(16).padStart(16, "0"));
const found = hashes.join(" ");
if (found !== expected.trim() || found.includes("0000000000000000")) {
  console.error(`wasm: ${found}\nhost: ${expected.trim()}`);
  process.exit(1);
}
console.log(`wasm32 under node: 30 frames have the bits of the host (${found}), 60 frames in ${Math.round(performance.now() - start)} ms`);
