// The page that checks files: drop, progress, verdict, picture, time line, and the JSON.
import type { CheckCrossing, CheckExample, CheckReport, CheckSubject } from "../cloth-web/pkg/cloth_web.js";
import { type CheckAnswer, type CheckRequest, type Outcome, type ShownState, type Versions, nativeCommand } from "./check-protocol.js";
import { NO_WASM, NO_WEBGL, element, hasWasm, rows } from "./dom.js";
import { createRenderer } from "./drawing.js";
import { type ChosenFile, chosenFiles, droppedFiles } from "./folders.js";
import { MeshView, type Place } from "./mesh-view.js";
import { sampleFiles } from "./sample.js";

const files = element<HTMLInputElement>("files");
const frame = element<HTMLInputElement>("frame");
const progress = element<HTMLProgressElement>("progress");
const message = element("message");

function number(n: number): string {
  return n.toLocaleString("en");
}

function counted(n: number, noun: string): string {
  return `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
}

class CheckPage {
  private worker: Worker | null = null;
  private chosen: ChosenFile[] = [];
  private subjects: CheckSubject[] = [];
  private versions: Versions = { package: "", schema: 0 };
  private outcomes: (Outcome | null)[] = [];
  private selected = -1;
  private shown: ShownState | null = null;
  /** The state that is to be seen, and whether the worker is asked for one. */
  private wanted = 0;
  private waits = false;
  private view: MeshView | null = null;
  /** What the view turns to once its state is shown. */
  private next: Place | null = null;
  private readonly renderer = createRenderer(element<HTMLCanvasElement>("canvas"));
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    files.addEventListener("change", () => this.start(chosenFiles(files.files ?? [])));
    for (const kind of ["dragenter", "dragover"] as const) {
      addEventListener(kind, (event) => {
        event.preventDefault();
        element("drop").classList.add("over");
      });
    }
    addEventListener("dragleave", (event: DragEvent) => event.relatedTarget === null && element("drop").classList.remove("over"));
    addEventListener("drop", (event: DragEvent) => {
      event.preventDefault();
      element("drop").classList.remove("over");
      void this.startDropped(event.dataTransfer);
    });
    element("sample").addEventListener("click", () => this.start(sampleFiles()));
    element("cancel").addEventListener("click", () => this.cancel());
    element("download").addEventListener("click", () => this.download());
    frame.addEventListener("input", () => this.want(frame.valueAsNumber));
    element("strip").addEventListener("pointerdown", (event) => this.scrub(event));
    element("strip").addEventListener("pointermove", (event) => event.buttons > 0 && this.scrub(event));
    new ResizeObserver(() => this.drawStrip()).observe(element("strip"));
    this.dark.addEventListener("change", () => this.restyle());
  }

  /** What a test asks. */
  get figures(): { shown: number | null; busy: boolean; target: number[]; marked: number; message: string } {
    return {
      shown: this.shown?.state ?? null,
      busy: !element("work").hidden,
      target: this.view?.target ?? [],
      marked: this.shown?.marked.length ?? 0,
      message: message.textContent ?? "",
    };
  }

  private async startDropped(data: DataTransfer | null): Promise<void> {
    try {
      const dropped = await droppedFiles(data);
      if (dropped.length === 0 && data?.types.includes("Files")) this.say("There is no OBJ, PLY, STL, OFF, GLB, GLTF, NPZ, NPY or PC2 file in that folder.");
      this.start(dropped);
    } catch (error) {
      this.say(`What was dropped cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private start(chosen: ChosenFile[]): void {
    if (chosen.length === 0) return;
    this.chosen = chosen;
    if (!hasWasm()) return this.say(NO_WASM);
    this.clear();
    const worker = new Worker("check-worker.js", { type: "module" });
    worker.onmessage = (event: MessageEvent<CheckAnswer>) => worker === this.worker && this.receive(event.data);
    worker.onerror = (event) => this.fail(event.message || "the worker could not be started");
    this.worker = worker;
    this.work("reading", 0, 0);
    this.send({ kind: "check", files: chosen });
    // The same files can be chosen again, after they were changed.
    files.value = "";
  }

  private send(request: CheckRequest): void {
    this.worker?.postMessage(request);
  }

  private receive(answer: CheckAnswer): void {
    switch (answer.kind) {
      case "reading":
        return this.work(`reading ${answer.name}`, answer.done, answer.total);
      case "subjects":
        this.subjects = answer.subjects;
        this.versions = answer.versions;
        this.outcomes = answer.subjects.map(() => null);
        return;
      case "progress": {
        const { path } = this.subjects[answer.subject];
        const pairs = answer.pairs > 0 ? `, ${number(answer.pairs)} pairs of triangles so far` : "";
        return this.work(`${path}: ${number(answer.states)} of ${counted(answer.total, "state")}${pairs}`, answer.states, answer.total);
      }
      case "judged":
        this.outcomes[answer.subject] = answer.outcome;
        this.listSubjects();
        if (this.selected < 0) this.select(answer.subject);
        return;
      case "done":
        element("work").hidden = true;
        return;
      case "shown":
        return this.show(answer.state);
      case "failed":
        return this.fail(answer.message);
    }
  }

  private clear(): void {
    this.worker?.terminate();
    this.worker = null;
    [this.subjects, this.outcomes, this.selected, this.shown, this.waits, this.next] = [[], [], -1, null, false, null];
    this.view?.clear();
    for (const id of ["subjects", "outcome", "work"]) element(id).hidden = true;
    this.say("");
  }

  private cancel(): void {
    this.clear();
    this.say("Cancelled: nothing was judged to its end.");
    files.focus();
  }

  /** The worker has ended; what it had judged stays to be read. */
  private fail(text: string): void {
    this.worker?.terminate();
    this.worker = null;
    element("work").hidden = true;
    const unjudged = this.subjects.filter((_, k) => this.outcomes[k] === null);
    const commands = (unjudged.length > 0 ? unjudged : this.subjects).map(nativeCommand).join("; ");
    this.say(`The check has ended: ${text}.${commands === "" ? "" : ` On your machine: ${commands}`}`);
  }

  private say(text: string): void {
    message.textContent = text;
  }

  private work(text: string, done: number, total: number): void {
    element("work").hidden = false;
    element("doing").textContent = text;
    if (total > 1) [progress.max, progress.value] = [total, done];
    else progress.removeAttribute("value");
  }

  private listSubjects(): void {
    const nav = element("subjects");
    nav.hidden = this.subjects.length < 2;
    nav.replaceChildren(...this.subjects.flatMap(({ path }, k) => {
      const outcome = this.outcomes[k];
      if (outcome === null) return [];
      const button = document.createElement("button");
      button.type = "button";
      const state = "error" in outcome ? "not judged" : outcome.result.isClean ? "clean" : number(worst(outcome.result.report));
      button.textContent = `${path}: ${state}`;
      button.setAttribute("aria-pressed", String(k === this.selected));
      button.addEventListener("click", () => this.select(k));
      return [button];
    }));
  }

  private select(k: number): void {
    this.selected = k;
    this.shown = null;
    this.listSubjects();
    const outcome = this.outcomes[k];
    if (outcome === null) return;
    const isRefused = "error" in outcome;
    element("outcome").hidden = false;
    element("outcome").classList.toggle("refused", isRefused);
    element("picture").hidden = isRefused || this.renderer === null;
    element("download").hidden = isRefused;
    const count = element("count");
    if (isRefused) {
      const lacksMesh = this.subjects[k].cache === null && /\.pc2$/i.test(this.subjects[k].path);
      [count.textContent, element("unit").textContent] = ["", "Not judged"];
      element("verdict").textContent = outcome.error + (lacksMesh ? ". A cache has no faces: give it together with the mesh it was made from, under the same name if there are several." : "");
      for (const id of ["kinds", "lists", "text"]) element(id).replaceChildren();
      return;
    }
    const { result: { isClean, verdict, text, report }, states } = outcome;
    count.textContent = number(worst(report));
    count.classList.toggle("bad", !isClean);
    element("unit").textContent = isClean ? "clean" : unit(report);
    element("verdict").textContent = `${report.path}: ${verdict}`;
    element("text").textContent = text;
    this.listKinds(report);
    this.listNotes(report, []);
    element("time").hidden = report.frames.length === 0;
    frame.max = String(states - 1);
    const first = worstState(report);
    frame.value = String(first);
    this.drawStrip();
    this.want(first);
    if (this.renderer === null) this.say(NO_WEBGL);
  }

  private get report(): CheckReport | null {
    const outcome = this.outcomes[this.selected] ?? null;
    return outcome !== null && "result" in outcome ? outcome.result.report : null;
  }

  private listKinds(report: CheckReport): void {
    element("kinds").replaceChildren(...rows([
      ["vertices", number(report.vertices)],
      ["triangles", number(report.triangles)],
      ["intersections (edge and face)", number(report.intersections)],
      ["intersecting triangle pairs", number(report.intersecting_triangle_pairs)],
      ["touching or coplanar pairs", number(report.touching_triangle_pairs)],
      ["pairs that share a vertex", number(report.triangle_pairs_sharing_a_vertex)],
      ["flat folds", number(report.flat_folds)],
      ["faces that lie on others", number(report.doubled_faces)],
      ...(report.left_out_faces === 0 ? [] : [["faces left out of the check", number(report.left_out_faces)] as [string, string]]),
      ...(report.impacts === null ? [] : [["crossings between frames", number(report.impacts.pass_throughs)] as [string, string]]),
      ...(report.stopped_after_pairs === null ? [] : [["stopped after pairs of triangles", number(report.stopped_after_pairs)] as [string, string]]),
      ...(report.unchecked_states === 0 ? [] : [["states not checked", number(report.unchecked_states)] as [string, string]]),
    ]));
  }

  /** Intersections of the state that is shown, crossings, problems and notes. */
  private listNotes(report: CheckReport, examples: CheckExample[]): void {
    const crossing = report.frames.findIndex((state) => (state.impacts ?? 0) > 0);
    const lists: [string, HTMLElement[]][] = [
      ["Intersections", examples.map((example) => this.placeButton(inWords(example), { edges: [example.edge], faces: [example.face], vertices: [] }))],
      ["Faces that lie on others", report.doubled_examples.map(([face, first]) =>
        this.placeButton(`face ${face} lies on face ${first}`, { edges: [], faces: [face, first], vertices: [] }, worstState(report)))],
      ["Flat folds", report.fold_examples.map(([a, b]) =>
        this.placeButton(`faces at edge ${a}-${b} lie flat on each other`, { edges: [[a, b]], faces: [], vertices: [] }, worstState(report)))],
      [`Crossings in the motion to frame ${report.frames[crossing]?.frame ?? ""}`, (report.impacts?.examples ?? []).map((example) => {
        const place = "face" in example ? { edges: [], faces: [example.face], vertices: [example.vertex] } : { edges: example.edges, faces: [], vertices: [] };
        return this.placeButton(crossingInWords(example), place, crossing);
      })],
      ["Problems", report.problems.map(({ kind, count, examples: places }) => span(`${number(count)} ${kind}: ${places.join(", ")}${count > places.length ? ", ..." : ""}`))],
      ["Notes", report.notes.map(span)],
    ];
    element("lists").replaceChildren(...lists.filter(([, items]) => items.length > 0).flatMap(([title, items]) => {
      const [head, list] = [document.createElement("h3"), document.createElement("ul")];
      head.textContent = title;
      list.append(...items.map((item) => {
        const entry = document.createElement("li");
        entry.append(item);
        return entry;
      }));
      return [head, list];
    }));
  }

  /** Turns the view to a place, in the state that is shown or in another. */
  private placeButton(text: string, place: Place, state?: number): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => {
      element("picture").scrollIntoView({ block: "nearest" });
      if (state === undefined || state === this.shown?.state) return this.view?.point(place);
      this.next = place;
      frame.value = String(state);
      this.want(state);
    });
    return button;
  }

  /** Asks for a state; while one is awaited, only the last that is wanted is remembered. */
  private want(state: number): void {
    this.wanted = state;
    this.describeFrame();
    if (this.waits || this.worker === null) return;
    this.waits = true;
    this.send({ kind: "show", subject: this.selected, state });
  }

  private show(state: ShownState): void {
    this.waits = false;
    if (state.subject !== this.selected || state.state !== this.wanted) return this.want(this.wanted);
    this.shown = state;
    const report = this.report;
    if (report !== null) this.listNotes(report, state.examples);
    if (this.renderer === null) return;
    this.view ??= new MeshView(this.renderer, element<HTMLCanvasElement>("canvas"), this.dark.matches);
    this.view.show(state);
    if (this.next !== null) this.view.point(this.next);
    this.next = null;
  }

  /** Another colour scheme. */
  private restyle(): void {
    this.drawStrip();
    this.view?.dispose();
    this.view = null;
    if (this.shown !== null) this.show(this.shown);
  }

  private describeFrame(): void {
    const state = this.report?.frames[this.wanted];
    if (state === undefined) return;
    const crossed = state.impacts ? `, ${counted(state.impacts, "pair")} crossed on the way to it` : "";
    const flat = [[state.doubled_faces, "face that lies on another", "faces that lie on others"], [state.flat_folds, "flat fold", "flat folds"]] as const;
    const also = flat.filter(([count]) => count > 0).map(([count, one, more]) => `, ${number(count)} ${count === 1 ? one : more}`).join("");
    const text = `frame ${state.frame}: ${counted(state.intersections, "intersection")}${also}${crossed}`;
    element("frame-text").textContent = text;
    frame.setAttribute("aria-valuetext", text);
  }

  /** Red where a frame is not clean (above) or something crossed on the way to it (below). */
  private drawStrip(): void {
    const [strip, report] = [element<HTMLCanvasElement>("strip"), this.report];
    const context = strip.getContext("2d");
    if (report === null || context === null || report.frames.length === 0) return;
    [strip.width, strip.height] = [strip.clientWidth * devicePixelRatio, strip.clientHeight * devicePixelRatio];
    const style = getComputedStyle(document.documentElement);
    const [good, bad] = ["--good", "--bad"].map((name) => style.getPropertyValue(name));
    const each = strip.width / report.frames.length;
    report.frames.forEach(({ intersections, flat_folds, doubled_faces, impacts }, k) => {
      // Red is never narrower than a pixel, and nothing paints over it.
      [intersections + flat_folds + doubled_faces > 0, (impacts ?? 0) > 0].forEach((isBad, half) => {
        context.globalCompositeOperation = isBad ? "source-over" : "destination-over";
        context.fillStyle = isBad ? bad : good;
        const from = Math.floor(k * each);
        context.fillRect(from, (half * strip.height) / 2, Math.max(Math.floor((k + 1) * each) - from, 1), strip.height / 2);
      });
    });
  }

  private scrub(event: PointerEvent): void {
    const box = element("strip").getBoundingClientRect();
    const last = Number(frame.max);
    const state = Math.floor(((event.clientX - box.left) / box.width) * (last + 1));
    frame.value = String(Math.min(last, Math.max(0, state)));
    this.want(frame.valueAsNumber);
  }

  private download(): void {
    const judged = this.outcomes.flatMap((outcome) => (outcome !== null && "result" in outcome ? [outcome.result.report] : []));
    const rejected = this.outcomes.flatMap((outcome, k) => (outcome !== null && "error" in outcome ? [{ path: this.subjects[k].path, error: outcome.error }] : []));
    // As `cloth check --json` writes it.
    const report = {
      schema_version: this.versions.schema, meshes: judged, rejected, interrupted: this.outcomes.includes(null),
      provenance: {
        version: this.versions.package, commit: null, cpu: navigator.userAgent, logical_cpus: navigator.hardwareConcurrency,
        date: new Date().toISOString().replace(/\.\d+Z$/, "Z"), arguments: ["check", ...this.chosen.map(({ path }) => path)],
      },
    };
    const blob = new Blob([JSON.stringify(report, null, 2)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${(this.subjects[this.selected]?.path ?? "check").replace(/\.[^.]*$/, "").replaceAll("*", "")}.check.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

/** What is counted large: the worst of what was found. */
function worst(report: CheckReport): number {
  return report.clean ? 0 : (findings(report).find(([count]) => count > 0)?.[0] ?? 0);
}

/** What the number of `worst` counts. */
function unit(report: CheckReport): string {
  const found = findings(report).find(([count]) => count > 0);
  if (found === undefined) return "";
  const [count, one, more] = found;
  return count === 1 ? one : more;
}

/** What may be wrong, the worst first: how many, and their names. */
function findings(report: CheckReport): [number, string, string][] {
  return [
    [report.intersections, "intersection", "intersections"],
    [report.doubled_faces, "face that lies on another", "faces that lie on others"],
    [report.flat_folds, "flat fold", "flat folds"],
    [report.impacts?.pass_throughs ?? 0, "pair crossed between frames", "pairs crossed between frames"],
    [report.left_out_faces, "face left out of the check", "faces left out of the check"],
  ];
}

/** The first of the worst states; of clean ones that with the most crossings on the way to it. */
function worstState({ frames }: CheckReport): number {
  const order = (k: number): number[] => [frames[k].intersections, frames[k].doubled_faces, frames[k].flat_folds, frames[k].impacts ?? 0];
  let found = 0;
  for (let k = 1; k < frames.length; k += 1) {
    const [these, those] = [order(k), order(found)];
    const differs = these.findIndex((count, i) => count !== those[i]);
    if (differs >= 0 && these[differs] > those[differs]) found = k;
  }
  return found;
}

function inWords({ edge: [a, b], face, proper }: CheckExample): string {
  return `edge ${a}-${b} ${proper ? "crosses" : "touches"} face ${face}`;
}

function crossingInWords(crossing: CheckCrossing): string {
  if ("face" in crossing) return `vertex ${crossing.vertex} crosses face ${crossing.face}`;
  const [[a, b], [c, d]] = crossing.edges;
  return `edge ${a}-${b} crosses edge ${c}-${d}`;
}

function span(text: string): HTMLElement {
  const found = document.createElement("span");
  found.textContent = text;
  return found;
}

Object.assign(globalThis, { page: new CheckPage() });
