// What the page of the check and its worker say to each other.
import type { CheckExample, CheckResult, CheckSubject, OutfitExample, OutfitResult } from "../cloth-web/pkg/cloth_web.js";
import type { ChosenFile } from "./folders.js";

/** To the worker. */
export type CheckRequest =
  /** `bodies` says of each subject whether it is a body; null: those are whose names say so. */
  | { kind: "check"; files: ChosenFile[]; bodies: boolean[] | null }
  /** A state of a job to be seen. */
  | { kind: "show"; job: number; state: number };

/** What is judged together: a mesh alone, or garments with bodies. */
export interface Job { garments: CheckSubject[]; bodies: CheckSubject[] }

/** A state to be seen; positions are about the origin, and of about the size 1. */
export interface ShownState {
  job: number;
  state: number;
  positions: Float32Array;
  faces: Uint32Array;
  marked: Uint32Array;
  /** Faces of cloth with a vertex inside of a body that are not marked. */
  inside: Uint32Array;
  examples: (CheckExample | OutfitExample)[];
}

/** What became of a job: a result, or the line that says why there is none. */
export type Outcome = { result: CheckResult | OutfitResult; states: number } | { error: string };

/** Of the package, and of the JSON. */
export interface Versions { package: string; schema: number }

/** From the worker. */
export type CheckAnswer =
  | { kind: "reading"; name: string; done: number; total: number }
  | { kind: "subjects"; subjects: CheckSubject[]; jobs: Job[]; versions: Versions }
  | { kind: "progress"; job: number; states: number; total: number; pairs: number }
  | { kind: "judged"; job: number; outcome: Outcome }
  | { kind: "done" }
  | { kind: "shown"; state: ShownState }
  /** The module cannot go on. */
  | { kind: "failed"; message: string };

/** A subject, or subjects, in words. */
export function nameOf({ garments, bodies }: Job): string {
  const names = (subjects: CheckSubject[]): string => subjects.map(({ path }) => path).join(", ");
  return bodies.length === 0 ? names(garments) : `${names(garments)} on ${names(bodies)}`;
}

/** The arguments of the command that judges a job. */
export function nativeArguments({ garments, bodies }: Job): string[] {
  const words = (subjects: CheckSubject[], before: string[], option: string): string[] =>
    subjects.flatMap(({ path, cache }) => [...before, path, ...(cache === null ? [] : [option, cache])]);
  return ["check", ...words(garments, [], "--cache"), ...words(bodies, ["--body"], "--body-cache")];
}

/** The command that judges a job on the user's machine. */
export function nativeCommand(job: Job): string {
  const word = (name: string): string => (/^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
  return ["cloth", ...nativeArguments(job).map(word)].join(" ");
}
