// Builds the page and the module into `dist/`, one folder without anything to be loaded from elsewhere, and the
// script that plays the runs of a report.
//
//     node build.mjs [--serve | --player]
//
// With `--player` nothing but that script, which needs node and its packages alone.
// Needs Rust with the target wasm32-unknown-unknown or Debian's packages rustc-web and rust-web-src, the command
// wasm-bindgen in the version of cloth-web/Cargo.lock, and what `npm ci` installs. Exits with 69 if one is missing.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const web = fileURLToPath(new URL(".", import.meta.url));
const crate = join(web, "cloth-web");
const dist = join(web, "dist");
const target = "wasm32-unknown-unknown";

/** Ends with the status of a missing tool. */
function missing(what, remedy) {
  console.error(`error: ${what}\n${remedy}`);
  process.exit(69);
}

/** Runs a program, and ends if it fails. */
function run(program, args, options = {}) {
  const done = spawnSync(program, args, { stdio: "inherit", cwd: web, ...options });
  if (done.status !== 0) {
    console.error(`error: ${program} ${args.join(" ")}: ${done.error?.message ?? `status ${done.status}`}`);
    process.exit(1);
  }
}

/** What a program prints, or nothing if it fails or is not there. */
function output(program, args) {
  const done = spawnSync(program, args, { encoding: "utf8", cwd: web });
  return done.status === 0 ? done.stdout.trim() : "";
}

/** How cargo compiles for the target: with its own standard library, or with that of Debian's packages. */
function compiler() {
  const libraries = join(output("rustc", ["--print", "sysroot"]), "lib", "rustlib");
  if (existsSync(join(libraries, target))) return { args: [], env: {} };
  const debian = "/usr/bin/rustc";
  const lld = join(libraries, output("rustc", ["--print", "host-tuple"]), "bin", "rust-lld");
  if (existsSync(debian) && existsSync("/usr/lib/rustlib/src/rust/library") && existsSync(lld)) {
    return {
      args: ["-Z", "build-std=std,panic_abort"],
      env: { RUSTC: debian, RUSTC_BOOTSTRAP: "1", CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: lld },
    };
  }
  return missing(`the target ${target} is not installed`, `rustup target add ${target}, or Debian's rustc-web and rust-web-src`);
}

/** The command wasm-bindgen, in the version that the module is compiled for. */
function bindgen() {
  const lock = readFileSync(join(crate, "Cargo.lock"), "utf8");
  const version = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(lock)[1];
  const folders = [join(web, "tools", "bin"), ...(process.env.PATH ?? "").split(delimiter)];
  const found = folders.map((folder) => join(folder, "wasm-bindgen")).find((program) => output(program, ["--version"]).endsWith(` ${version}`));
  const remedy = `cargo install --locked --version =${version} --root web/tools wasm-bindgen-cli`;
  return found ?? missing(`wasm-bindgen ${version} is not installed`, remedy);
}

/** As the threads of the command have it: glTF documents nest deep in trees. */
const STACK = 8 << 20;

/** Compiles the module for vectors of 128 bits, to `cloth_web.js` and `cloth_web_bg.wasm` in the folder. */
function compile(folder) {
  // What is missing is said before anything is compiled.
  const [{ args, env }, bind] = [compiler(), bindgen()];
  const all = ["build", "--locked", "--release", "--lib", "--target", target, ...args];
  run("cargo", all, { cwd: crate, env: { ...process.env, ...env, RUSTFLAGS: `-C target-feature=+simd128 -C link-arg=-zstack-size=${STACK}` } });
  run(bind, ["--target", "web", "--out-dir", folder, join(crate, "target", target, "release", "cloth_web.wasm")]);
}

/** Where the player is kept, so that reports are complete without node. */
const PLAYER = join(web, "..", "cloth-verify", "src", "report", "player.js");

/** FNV-1a of files, 64 bits: what `xtask/src/tidy/player.rs` compares. */
function hash(names) {
  let hash = 0xcbf29ce484222325n;
  for (const name of names) {
    for (const byte of readFileSync(join(web, name))) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, "0");
}

/** Bundles the player as one classic script: from a disk, browsers load no modules. */
async function buildPlayer() {
  const esbuild = await import("esbuild");
  const { metafile, outputFiles: [script] } = await esbuild.build({
    absWorkingDir: web, entryPoints: [join("player", "player.ts")], bundle: true, format: "iife", minify: true, target: "es2022",
    loader: { ".css": "text" }, legalComments: "eof", charset: "ascii", metafile: true, write: false,
  });
  const sources = [...Object.keys(metafile.inputs).filter((name) => !name.startsWith("node_modules/")), "build.mjs", "package-lock.json"].sort();
  const licence = readFileSync(join(web, "node_modules", "three", "LICENSE"), "utf8").trim();
  writeFileSync(PLAYER, `// Generated by \`node web/build.mjs --player\`; do not edit.
// Sources, FNV-1a ${hash(sources)}: ${sources.join(" ")}
${script.text}/*
three.js: ${licence}
*/
`);
}

if (!existsSync(join(web, "node_modules"))) missing("the packages of package-lock.json are not installed", "npm ci --prefix web");
if (process.argv.includes("--player")) {
  await buildPlayer();
  process.exit(0);
}
const packaged = join(crate, "pkg");
rmSync(packaged, { recursive: true, force: true });
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
compile(packaged);
const lock = JSON.parse(readFileSync(join(web, "package-lock.json"), "utf8"));
writeFileSync(join(packaged, "package.json"), JSON.stringify({
  name: "cloth-web", version: lock.version ?? "0.1.0", type: "module", license: "MIT OR Apache-2.0",
  description: "The exact judge, the gate and the cloth simulation as a WebAssembly module",
  main: "cloth_web.js", types: "cloth_web.d.ts",
}, null, 2));

const esbuild = await import("esbuild");
run(process.execPath, [join(web, "node_modules", "typescript", "bin", "tsc"), "--noEmit"]);
const context = await esbuild.context({
  entryPoints: Object.fromEntries(["page", "worker", "check", "check-worker"].map((name) => [name, join(web, "src", `${name}.ts`)])),
  bundle: true, format: "esm", minify: true, target: "es2022", outdir: dist, legalComments: "linked",
});
await context.rebuild();
await buildPlayer();
for (const file of ["index.html", "check.html", "style.css"]) cpSync(join(web, "src", file), join(dist, file));
cpSync(join(packaged, "cloth_web_bg.wasm"), join(dist, "cloth_web_bg.wasm"));
const size = (names) => names.reduce((sum, name) => sum + brotliCompressSync(readFileSync(join(dist, name))).length, 0);
const loaded = readdirSync(dist).filter((name) => statSync(join(dist, name)).isFile() && !name.includes("LEGAL"));
console.log(`web/dist: ${(size(loaded) / 1e6).toFixed(2)} MB compressed`);
if (process.argv.includes("--serve")) {
  const { port } = await context.serve({ servedir: dist, host: "127.0.0.1", port: 8000 });
  console.log(`http://127.0.0.1:${port}/`);
} else {
  await context.dispose();
}
