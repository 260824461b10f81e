// Simulates one scene, a frame for each request, away from the thread that draws.
import init, { type SceneChoice, Simulation } from "../cloth-web/pkg/index.js";
import type { Answer, Arrays, Request } from "./protocol.js";

const scope = self as unknown as DedicatedWorkerGlobalScope;

const loaded = init();

let simulation: Simulation | null = null;
let vertices = 0;

function answer(message: Answer, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

/** Copies what the module shows into arrays that can be sent, those of an earlier frame where they fit. */
function copy(from: Float32Array, into?: Float32Array): Float32Array {
  if (into === undefined || into.length !== from.length) return from.slice();
  into.set(from);
  return into;
}

function state(sim: Simulation, room: Arrays | null): Arrays {
  // Behind the cloths are bodies and axes that nobody sees.
  return {
    positions: copy(sim.positions().subarray(0, 3 * vertices), room?.positions),
    normals: copy(sim.normals().subarray(0, 3 * vertices), room?.normals),
    poses: copy(sim.poses(), room?.poses),
    skin: copy(sim.skinPositions(), room?.skin),
    marked: sim.intersectingFaces(),
  };
}

function buffers(arrays: Arrays): Transferable[] {
  return [arrays.positions, arrays.normals, arrays.poses, arrays.skin, arrays.marked].map((array) => array.buffer);
}

function start(scene: string, choice: SceneChoice): void {
  simulation?.free();
  simulation = null;
  simulation = new Simulation(scene, choice);
  const layout = simulation.layout();
  vertices = layout.vertices;
  const shape = { layout, faces: simulation.faces().slice(), skinFaces: simulation.skinFaces().slice() };
  const first = state(simulation, null);
  answer({ kind: "ready", shape, state: first, report: simulation.start }, buffers(first));
}

function serve(request: Request): void {
  if (request.kind === "start") return start(request.scene, request.choice);
  const sim = simulation;
  if (sim === null) return;
  switch (request.kind) {
    case "step": {
      const from = performance.now();
      const report = sim.step();
      const ms = performance.now() - from;
      const next = state(sim, request.room);
      return answer({ kind: "frame", state: next, report, hash: sim.stateHash(), ms }, buffers(next));
    }
    case "grab":
      sim.grab(Float32Array.from(request.origin), Float32Array.from(request.direction));
      return;
    case "drag":
      return sim.dragTo(Float32Array.from(request.target));
    case "release":
      return sim.release();
    case "wind":
      return sim.setWind(Float32Array.from(request.velocity));
    case "material":
      return sim.setMaterial(request.name);
  }
}

scope.onmessage = async (event: MessageEvent<Request>) => {
  try {
    await loaded;
    serve(event.data);
  } catch (error) {
    answer({ kind: "error", message: error instanceof Error ? error.message : String(error) });
  }
};
