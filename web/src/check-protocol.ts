// What the page of the check and its worker say to each other.
import type { CheckExample, CheckResult, CheckSubject } from "../cloth-web/pkg/cloth_web.js";
import type { ChosenFile } from "./folders.js";

/** To the worker. */
export type CheckRequest =
  | { kind: "check"; files: ChosenFile[] }
  /** A state of a subject to be seen. */
  | { kind: "show"; subject: number; state: number };

/** A state to be seen; positions are about the origin, and of about the size 1. */
export interface ShownState {
  subject: number;
  state: number;
  positions: Float32Array;
  faces: Uint32Array;
  marked: Uint32Array;
  examples: CheckExample[];
}

/** What became of a subject: a result, or the line that says why there is none. */
export type Outcome = { result: CheckResult; states: number } | { error: string };

/** Of the package, and of the JSON. */
export interface Versions { package: string; schema: number }

/** From the worker. */
export type CheckAnswer =
  | { kind: "reading"; name: string; done: number; total: number }
  | { kind: "subjects"; subjects: CheckSubject[]; versions: Versions }
  | { kind: "progress"; subject: number; states: number; total: number; pairs: number }
  | { kind: "judged"; subject: number; outcome: Outcome }
  | { kind: "done" }
  | { kind: "shown"; state: ShownState }
  /** The module cannot go on. */
  | { kind: "failed"; message: string };

/** The command that judges a subject on the user's machine. */
export function nativeCommand({ path, cache }: CheckSubject): string {
  const word = (name: string): string => (/^[\w./*-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
  const words = ["cloth", "check", path.includes("*") ? `'${path}'` : word(path)];
  return [...words, ...(cache === null ? [] : ["--cache", word(cache)])].join(" ");
}
