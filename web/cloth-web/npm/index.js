// The module, which has vectors of 128 bits, or an error that names the browsers that run it.
import load from "./cloth_web.js";

export * from "./cloth_web.js";

/** The smallest module with an instruction of 128 bits. */
const PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

export default async function init(source) {
  if (!WebAssembly.validate(PROBE)) {
    throw new Error("Cloth needs a browser with WebAssembly SIMD: Chrome or Edge 91, Firefox 89, Safari 16.4, or a newer one");
  }
  return load(source);
}
