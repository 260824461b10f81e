// Reads and judges files, away from the thread that draws. Nothing is sent anywhere.
import init, { type CheckSubject, MeshCheck, checkSchemaVersion, findSubjects, forgetFiles, packageVersion, provideFile } from "../cloth-web/pkg/index.js";
import { type CheckAnswer, type CheckRequest, type Outcome, nativeCommand } from "./check-protocol.js";
import type { ChosenFile } from "./folders.js";

/** What a browser tab checks in minutes and holds in memory; the command has no such limits. */
const MAX_TRIANGLES = 200_000;
const MAX_BYTES = 500_000_000;
/** Intersections of a state that are listed. */
const EXAMPLES = 100;

const scope = self as unknown as DedicatedWorkerGlobalScope;
const loaded = init();
let checks: (MeshCheck | null)[] = [];

function answer(message: CheckAnswer, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

/** Lets requests in that have come meanwhile. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

async function check(files: ChosenFile[]): Promise<void> {
  forgetFiles();
  for (const one of checks) one?.free();
  const subjects = findSubjects(files.map(({ path }) => path));
  checks = subjects.map(() => null);
  answer({ kind: "subjects", subjects, versions: { package: packageVersion(), schema: checkSchemaVersion() } });
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  if (total > MAX_BYTES) {
    const size = `${Math.ceil(total / 1e6).toLocaleString("en")} MB are more than the ${MAX_BYTES / 1e6} that are read in a browser.`;
    subjects.forEach((subject, k) => refuse(k, `${size} On your machine: ${nativeCommand(subject)}`));
  } else {
    await read(files, total);
    for (const [k, subject] of subjects.entries()) {
      judge(k, subject);
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

function refuse(subject: number, error: string): void {
  answer({ kind: "judged", subject, outcome: { error } });
}

function judge(k: number, subject: CheckSubject): void {
  try {
    const opened = new MeshCheck(subject.path, subject.cache ?? undefined);
    if (opened.triangles > MAX_TRIANGLES) {
      const found = `${opened.triangles.toLocaleString("en")} triangles are more than the ${MAX_TRIANGLES.toLocaleString("en")} that are checked in a browser.`;
      opened.free();
      return refuse(k, `${subject.path}: ${found} On your machine: ${nativeCommand(subject)}`);
    }
    checks[k] = opened;
    const total = opened.stateCount;
    answer({ kind: "progress", subject: k, states: 0, total, pairs: 0 });
    const result = opened.judge((states, pairs) => answer({ kind: "progress", subject: k, states, total, pairs }));
    const outcome: Outcome = { result, states: total };
    answer({ kind: "judged", subject: k, outcome });
  } catch (error) {
    if (isFatal(error)) throw error;
    refuse(k, error instanceof Error ? error.message : String(error));
  }
}

function show(subject: number, state: number): void {
  const opened = checks[subject];
  if (!opened) return;
  opened.show(state, EXAMPLES);
  const [positions, faces, marked] = [opened.positions().slice(), opened.faces().slice(), opened.intersectingFaces()];
  const shown = { subject, state, positions, faces, marked, examples: opened.examples() };
  answer({ kind: "shown", state: shown }, [positions.buffer, faces.buffer, marked.buffer]);
}

/** Whether the module has ended, for lack of memory or by a fault, and cannot be called again. */
function isFatal(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

scope.onmessage = async (event: MessageEvent<CheckRequest>) => {
  const request = event.data;
  try {
    await loaded;
    if (request.kind === "check") await check(request.files);
    else show(request.subject, request.state);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    answer({ kind: "failed", message: isFatal(error) ? `the module has ended, perhaps for lack of memory (${text})` : text });
  }
};
