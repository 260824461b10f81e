// Reads and judges files, away from the thread that draws. Nothing is sent anywhere.
import init, { MeshCheck, OutfitCheck, checkSchemaVersion, findSubjects, forgetFiles, packageVersion, provideFile } from "../cloth-web/pkg/index.js";
import { type CheckAnswer, type CheckRequest, type Job, type Outcome, nameOf, nativeCommand } from "./check-protocol.js";
import type { ChosenFile } from "./folders.js";

/** What a browser tab checks in minutes and holds in memory; the command has no such limits. */
const MAX_TRIANGLES = 200_000;
const MAX_BYTES = 500_000_000;
/** Intersections of a state that are listed. */
const EXAMPLES = 100;

const scope = self as unknown as DedicatedWorkerGlobalScope;
const loaded = init();
let checks: (MeshCheck | OutfitCheck | null)[] = [];

function answer(message: CheckAnswer, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

/** Lets requests in that have come meanwhile. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

async function check(files: ChosenFile[], bodies: boolean[] | null): Promise<void> {
  forgetFiles();
  for (const one of checks) one?.free();
  const found = findSubjects(files.map(({ path }) => path));
  const subjects = found.map((subject, k) => ({ ...subject, isBody: bodies?.[k] ?? subject.isBody }));
  const [worn, wearers] = [subjects.filter(({ isBody }) => !isBody), subjects.filter(({ isBody }) => isBody)];
  const isOutfit = worn.length > 0 && wearers.length > 0;
  const jobs: Job[] = isOutfit ? [{ garments: worn, bodies: wearers }] : subjects.map((subject) => ({ garments: [subject], bodies: [] }));
  checks = jobs.map(() => null);
  answer({ kind: "subjects", subjects, jobs, versions: { package: packageVersion(), schema: checkSchemaVersion() } });
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  if (total > MAX_BYTES) {
    const size = `${Math.ceil(total / 1e6).toLocaleString("en")} MB are more than the ${MAX_BYTES / 1e6} that are read in a browser.`;
    jobs.forEach((job, k) => refuse(k, `${size} On your machine: ${nativeCommand(job)}`));
  } else {
    await read(files, total);
    for (const [k, job] of jobs.entries()) {
      judge(k, job);
      await breathe();
    }
  }
  answer({ kind: "done" });
}

async function read(files: ChosenFile[], total: number): Promise<void> {
  let done = 0;
  for (const { path, file } of files) {
    answer({ kind: "reading", name: path, done, total });
    provideFile(path, new Uint8Array(await file.arrayBuffer()));
    done += file.size;
  }
}

function refuse(job: number, error: string): void {
  answer({ kind: "judged", job, outcome: { error } });
}

function openJob({ garments, bodies }: Job): MeshCheck | OutfitCheck {
  const [{ path, cache }] = garments;
  if (bodies.length === 0) return new MeshCheck(path, cache ?? undefined);
  const outfit = new OutfitCheck();
  try {
    for (const { path, cache, isBody } of [...garments, ...bodies]) outfit.add(path, cache ?? undefined, isBody);
  } catch (error) {
    if (!isFatal(error)) outfit.free();
    throw error;
  }
  return outfit;
}

function judge(k: number, job: Job): void {
  try {
    const opened = openJob(job);
    if (opened.triangles > MAX_TRIANGLES) {
      const found = `${opened.triangles.toLocaleString("en")} triangles are more than the ${MAX_TRIANGLES.toLocaleString("en")} that are checked in a browser.`;
      opened.free();
      return refuse(k, `${nameOf(job)}: ${found} On your machine: ${nativeCommand(job)}`);
    }
    checks[k] = opened;
    const total = opened.stateCount;
    answer({ kind: "progress", job: k, states: 0, total, pairs: 0 });
    const result = opened.judge((states, pairs) => answer({ kind: "progress", job: k, states, total, pairs }));
    const outcome: Outcome = { result, states: total };
    answer({ kind: "judged", job: k, outcome });
  } catch (error) {
    if (isFatal(error)) throw error;
    refuse(k, error instanceof Error ? error.message : String(error));
  }
}

function show(job: number, state: number): void {
  const opened = checks[job];
  if (!opened) return;
  opened.show(state, EXAMPLES);
  const [positions, faces, marked] = [opened.positions().slice(), opened.faces().slice(), opened.intersectingFaces()];
  const inside = opened instanceof OutfitCheck ? opened.insideFaces() : new Uint32Array();
  const shown = { job, state, positions, faces, marked, inside, examples: opened.examples() };
  answer({ kind: "shown", state: shown }, [positions.buffer, faces.buffer, marked.buffer, inside.buffer]);
}

/** Whether the module has ended, for lack of memory or by a fault, and cannot be called again. */
function isFatal(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

scope.onmessage = async (event: MessageEvent<CheckRequest>) => {
  const request = event.data;
  try {
    await loaded;
    if (request.kind === "check") await check(request.files, request.bodies);
    else show(request.job, request.state);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    answer({ kind: "failed", message: isFatal(error) ? `the module has ended, perhaps for lack of memory (${text})` : text });
  }
};
