// Builds the page and the module into `dist/`, one folder without anything to be loaded from elsewhere, and the
// script that plays the runs of a report.
//
//     node build.mjs [--serve [--port N] | --player]
//
// With `--player` nothing but that script, which needs node and its packages alone.
// Needs Rust with the target wasm32-unknown-unknown or Debian's packages rustc-web and rust-web-src, and what `npm ci`
// installs; installs the command wasm-bindgen in the version of cloth-web/Cargo.lock. Exits with 69 if one is missing.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { delimiter, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

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
async function run(program, args, options = {}) {
  const failure = await new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit", cwd: web, ...options });
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (status) => resolve(status === 0 ? null : `status ${status}`));
  });
  if (failure !== null) {
    console.error(`error: ${program} ${args.join(" ")}: ${failure}`);
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

/** The command wasm-bindgen in the version that the module is compiled for: compiled once into a folder of caches where it is missing. */
function bindgen() {
  const lock = readFileSync(join(crate, "Cargo.lock"), "utf8");
  const version = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(lock)[1];
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "cloth", `wasm-bindgen-${version}`);
  const folders = [join(cache, "bin"), ...(process.env.PATH ?? "").split(delimiter)];
  const find = () => folders.map((folder) => join(folder, "wasm-bindgen")).find((program) => output(program, ["--version"]).endsWith(` ${version}`));
  const found = find();
  if (found !== undefined) return found;
  console.log(`installs wasm-bindgen ${version} into ${cache}: two minutes, once`);
  const args = ["install", "--quiet", "--locked", "--version", `=${version}`, "--root", cache, "wasm-bindgen-cli"];
  spawnSync("cargo", args, { stdio: "inherit" });
  return find() ?? missing(`wasm-bindgen ${version} could not be installed`, `cargo ${args.join(" ")}`);
}

/** As the threads of the command have it: glTF documents nest deep in trees. */
const STACK = 8 << 20;

/** The port to serve at: that of `--port`, or 8000. Ends if it is none, or is in use. */
async function chosenPort() {
  const at = process.argv.indexOf("--port");
  const word = at < 0 ? "8000" : (process.argv[at + 1] ?? "");
  const port = /^\d{1,5}$/.test(word) ? Number(word) : 0;
  if (port < 1 || port > 65535) {
    console.error(`error: --port takes a number from 1 to 65535, got ${JSON.stringify(word)}`);
    process.exit(2);
  }
  await new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", ({ code, message }) => {
      console.error(code === "EADDRINUSE" ? `error: port ${port} is in use; choose another with --port N` : `error: ${message}`);
      process.exit(1);
    });
    probe.listen(port, "127.0.0.1", () => probe.close(resolve));
  });
  return port;
}

/** The npm package: the module and the script that calls it. */
async function buildPackage(folder) {
  const compiled = join(crate, "target", "simd128");
  const all = ["build", "--locked", "--release", "--lib", "--target", target, "--target-dir", compiled, ...rust.args];
  const flags = `-C target-feature=+simd128 -C link-arg=-zstack-size=${STACK}`;
  await run("cargo", all, { cwd: crate, env: { ...process.env, ...rust.env, RUSTFLAGS: flags } });
  await run(bind, ["--target", "web", "--out-dir", folder, join(compiled, target, "release", "cloth_web.wasm")]);
  cpSync(join(crate, "npm"), folder, { recursive: true });
}

/** Where the player is kept, compressed, so that reports are complete without node. */
const PLAYER = join(web, "..", "cloth-show", "assets", "player.js.gz");
/** The colours of reports, player and pages. */
const PALETTE = join(web, "..", "cloth-show", "assets", "palette.css");

/** FNV-1a of files of the repository, 64 bits: what `xtask/src/tidy/player.rs` compares. */
function hash(names) {
  let hash = 0xcbf29ce484222325n;
  for (const name of names) {
    for (const byte of readFileSync(join(web, "..", name))) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
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
  const own = Object.keys(metafile.inputs).filter((name) => !name.startsWith("node_modules/"));
  const sources = [...own, "build.mjs", "package-lock.json"].map((name) => posix.join("web", name)).sort();
  const licence = readFileSync(join(web, "node_modules", "three", "LICENSE"), "utf8").trim();
  const text = `// Generated by \`node web/build.mjs --player\`; do not edit.
// Sources, FNV-1a ${hash(sources)}: ${sources.join(" ")}
${script.text}/*
three.js: ${licence}
*/
`;
  writeFileSync(PLAYER, gzipSync(text, { level: 9 }));
}

if (!existsSync(join(web, "node_modules"))) missing("the packages of package-lock.json are not installed", "npm ci --prefix web");
if (process.argv.includes("--player")) {
  await buildPlayer();
  process.exit(0);
}
// What is missing is said before anything is compiled.
const [rust, bind] = [compiler(), bindgen()];
const port = process.argv.includes("--serve") ? await chosenPort() : null;
console.log(`compiles the module, which takes minutes where it was not compiled before${port === null ? "" : `; then serves http://127.0.0.1:${port}/`}`);
const packaged = join(crate, "pkg");
rmSync(packaged, { recursive: true, force: true });
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
await buildPackage(packaged);
const esbuild = await import("esbuild");
await run(process.execPath, [join(web, "node_modules", "typescript", "bin", "tsc"), "--noEmit"]);
const context = await esbuild.context({
  entryPoints: Object.fromEntries(["first", "page", "worker", "check", "check-worker"].map((name) => [name, join(web, "src", `${name}.ts`)])),
  bundle: true, format: "esm", minify: true, target: "es2022", outdir: dist, legalComments: "linked",
});
await context.rebuild();
await buildPlayer();
for (const file of ["index.html", "check.html"]) cpSync(join(web, "src", file), join(dist, file));
writeFileSync(join(dist, "style.css"), [PALETTE, join(web, "src", "style.css")].map((file) => readFileSync(file, "utf8")).join(""));
copyFileSync(join(packaged, "cloth_web_bg.wasm"), join(dist, "cloth_web_bg.wasm"));
const loaded = readdirSync(dist).filter((name) => statSync(join(dist, name)).isFile() && !name.includes("LEGAL"));
const size = loaded.reduce((sum, name) => sum + brotliCompressSync(readFileSync(join(dist, name))).length, 0);
console.log(`web/dist: ${(size / 1e6).toFixed(2)} MB compressed`);
if (port !== null) {
  await context.serve({ servedir: dist, host: "127.0.0.1", port });
  console.log(`http://127.0.0.1:${port}/`);
} else {
  await context.dispose();
}
