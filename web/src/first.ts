// Loads the module for the first run while the script of the page, which takes as long, is loaded.
import type { EarlyWorker } from "./run.js";

const early: EarlyWorker = { worker: new Worker("worker.js", { type: "module" }), hasFailed: false };
early.worker.onerror = () => (early.hasFailed = true);
Object.assign(globalThis, { early });
