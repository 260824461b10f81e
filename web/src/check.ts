// The page that checks files: drop, progress, verdict, picture, time line, and the JSON.
import type { CheckExample, CheckSubject, OutfitExample } from "../cloth-web/pkg/cloth_web.js";
import { type CheckAnswer, type CheckRequest, type Job, type Outcome, type ShownState, type Versions, nameOf, nativeArguments, nativeCommand } from "./check-protocol.js";
import { NO_WASM, NO_WEBGL, element, hasWasm, rows } from "./dom.js";
import { createRenderer } from "./drawing.js";
import { type Findings, type Item, counted, findings, number, shownItem } from "./findings.js";
import { type ChosenFile, chosenFiles, droppedFiles } from "./folders.js";
import { MeshView, type Place } from "./mesh-view.js";
import { sampleFiles } from "./sample.js";

const files = element<HTMLInputElement>("files");
const frame = element<HTMLInputElement>("frame");
const progress = element<HTMLProgressElement>("progress");
const message = element("message");

class CheckPage {
  private worker: Worker | null = null;
  private chosen: ChosenFile[] = [];
  private subjects: CheckSubject[] = [];
  /** What is judged: each subject for itself, or all together if there are garments and bodies. */
  private jobs: Job[] = [];
  private versions: Versions = { package: "", schema: 0 };
  private outcomes: (Outcome | null)[] = [];
  /** The job that is to be seen, and what was found of it. */
  private selected = -1;
  private found: Findings | null = null;
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
  get figures(): { shown: number | null; busy: boolean; target: number[]; marked: number; inside: number; message: string } {
    return {
      shown: this.shown?.state ?? null,
      busy: !element("work").hidden,
      target: this.view?.target ?? [],
      marked: this.shown?.marked.length ?? 0,
      inside: this.shown?.inside.length ?? 0,
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

  /** Reads and judges files; `bodies` says of each subject whether it is one, null that their names do. */
  private start(chosen: ChosenFile[], bodies: boolean[] | null = null): void {
    if (chosen.length === 0) return;
    this.chosen = chosen;
    if (!hasWasm()) return this.say(NO_WASM);
    this.clear();
    element("subjects").hidden = bodies === null;
    const worker = new Worker("check-worker.js", { type: "module" });
    worker.onmessage = (event: MessageEvent<CheckAnswer>) => worker === this.worker && this.receive(event.data);
    worker.onerror = (event) => this.fail(event.message || "the worker could not be started");
    this.worker = worker;
    this.work("reading", 0, 0);
    this.send({ kind: "check", files: chosen, bodies });
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
        [this.subjects, this.jobs, this.versions] = [answer.subjects, answer.jobs, answer.versions];
        this.outcomes = answer.jobs.map(() => null);
        return this.listSubjects();
      case "progress": {
        const name = nameOf(this.jobs[answer.job]);
        const pairs = answer.pairs > 0 ? `, ${number(answer.pairs)} pairs of triangles so far` : "";
        return this.work(`${name}: ${number(answer.states)} of ${counted(answer.total, "state")}${pairs}`, answer.states, answer.total);
      }
      case "judged":
        this.outcomes[answer.job] = answer.outcome;
        this.listSubjects();
        if (this.selected < 0) this.select(answer.job);
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
    [this.subjects, this.jobs, this.outcomes, this.selected, this.found, this.shown, this.waits, this.next] = [[], [], [], -1, null, null, false, null];
    this.view?.clear();
    for (const id of ["outcome", "work"]) element(id).hidden = true;
    this.say("");
  }

  private cancel(): void {
    this.clear();
    element("subjects").hidden = true;
    this.say("Cancelled: nothing was judged to its end.");
    files.focus();
  }

  /** The worker has ended; what it had judged stays to be read. */
  private fail(text: string): void {
    this.worker?.terminate();
    this.worker = null;
    element("work").hidden = true;
    const unjudged = this.jobs.filter((_, k) => this.outcomes[k] === null);
    const commands = (unjudged.length > 0 ? unjudged : this.jobs).map(nativeCommand).join("; ");
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

  /** The meshes: what was found of each, or of all together, and which are bodies. */
  private listSubjects(): void {
    const [nav, isOutfit] = [element("subjects"), this.jobs.length < this.subjects.length];
    nav.hidden = this.subjects.length < 2;
    // The box that has the focus keeps it.
    const focused = [...nav.querySelectorAll("input")].indexOf(document.activeElement as HTMLInputElement);
    const how = document.createElement("p");
    how.textContent = isOutfit
      ? "Judged together: what meets what, and what of the garments is inside of a body."
      : `Each mesh is judged for itself. ${this.subjects.every(({ isBody }) => isBody) ? "None is a garment: untick those that are worn" : "Tick those that are bodies"} to judge garments together with their bodies.`;
    nav.replaceChildren(how, ...this.subjects.map((_, k) => this.subjectEntry(k, isOutfit)));
    nav.querySelectorAll("input")[focused]?.focus();
  }

  /** A mesh of the list: a button that selects it where it is judged for itself, and whether it is a body. */
  private subjectEntry(k: number, isOutfit: boolean): HTMLElement {
    const { path, isBody } = this.subjects[k];
    const [entry, name, label, box] = [document.createElement("span"), document.createElement(isOutfit ? "span" : "button"), document.createElement("label"), document.createElement("input")];
    entry.className = "subject";
    name.textContent = isOutfit ? path : path + this.stateOf(k);
    if (name instanceof HTMLButtonElement) {
      [name.type, name.disabled] = ["button", this.outcomes[k] === null];
      name.setAttribute("aria-pressed", String(k === this.selected));
      name.addEventListener("click", () => this.select(k));
    }
    [box.type, box.checked] = ["checkbox", isBody];
    box.setAttribute("aria-label", `${path} is a body`);
    box.addEventListener("change", () => this.start(this.chosen, [...element("subjects").querySelectorAll("input")].map(({ checked }) => checked)));
    label.append(box, "body");
    entry.append(name, label);
    return entry;
  }

  private stateOf(job: number): string {
    const outcome = this.outcomes[job];
    if (outcome === null) return "";
    if ("error" in outcome) return ": not judged";
    return outcome.result.isClean ? ": clean" : `: ${number(findings(outcome.result.report).count)}`;
  }

  private select(k: number): void {
    this.selected = k;
    [this.found, this.shown] = [null, null];
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
      const { garments, bodies } = this.jobs[k];
      const lacksMesh = [...garments, ...bodies].some(({ path, cache }) => cache === null && /\.pc2$/i.test(path));
      [count.textContent, element("unit").textContent] = ["", "Not judged"];
      element("verdict").textContent = outcome.error + (lacksMesh ? ". A cache has no faces: give it together with the mesh it was made from, under the same name if there are several." : "");
      for (const id of ["kinds", "lists", "text"]) element(id).replaceChildren();
      return;
    }
    const { result: { isClean, verdict, text, report }, states } = outcome;
    this.found = findings(report);
    count.textContent = number(this.found.count);
    count.classList.toggle("bad", !isClean);
    element("unit").textContent = this.found.unit;
    element("verdict").textContent = `${this.found.name}: ${verdict}`;
    element("text").textContent = text;
    element("kinds").replaceChildren(...rows(this.found.figures));
    element("legend").hidden = this.jobs[k].bodies.length === 0;
    this.listNotes([]);
    element("time").hidden = this.found.frames.length === 0;
    frame.max = String(states - 1);
    frame.value = String(this.found.worst);
    this.drawStrip();
    this.want(this.found.worst);
    if (this.renderer === null) this.say(NO_WEBGL);
  }

  /** Intersections of the state that is shown, crossings, problems and notes. */
  private listNotes(examples: (CheckExample | OutfitExample)[]): void {
    const lists: [string, Item[]][] = [["Intersections", examples.map(shownItem)], ...(this.found?.lists ?? [])];
    element("lists").replaceChildren(...lists.filter(([, items]) => items.length > 0).flatMap(([title, items]) => {
      const [head, list] = [document.createElement("h3"), document.createElement("ul")];
      head.textContent = title;
      list.append(...items.map(({ text, place, state }) => {
        const entry = document.createElement("li");
        if (place === undefined) entry.textContent = text;
        else entry.append(this.placeButton(text, place, state));
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
    this.send({ kind: "show", job: this.selected, state });
  }

  private show(state: ShownState): void {
    this.waits = false;
    if (state.job !== this.selected || state.state !== this.wanted) return this.want(this.wanted);
    this.shown = state;
    this.listNotes(state.examples);
    if (this.renderer === null || this.found === null) return;
    this.view ??= new MeshView(this.renderer, element<HTMLCanvasElement>("canvas"), this.dark.matches);
    this.view.show(state, this.found.parts);
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
    const text = this.found?.frames[this.wanted]?.text;
    if (text === undefined) return;
    element("frame-text").textContent = text;
    frame.setAttribute("aria-valuetext", text);
  }

  /** Red where a frame is not clean (above) or something crossed on the way to it (below). */
  private drawStrip(): void {
    const [strip, frames] = [element<HTMLCanvasElement>("strip"), this.found?.frames ?? []];
    const context = strip.getContext("2d");
    if (context === null || frames.length === 0) return;
    [strip.width, strip.height] = [strip.clientWidth * devicePixelRatio, strip.clientHeight * devicePixelRatio];
    const style = getComputedStyle(document.documentElement);
    const [good, bad] = ["--good", "--bad"].map((name) => style.getPropertyValue(name));
    const each = strip.width / frames.length;
    frames.forEach(({ isClean, isCrossed }, k) => {
      // Red is never narrower than a pixel, and nothing paints over it.
      [!isClean, isCrossed].forEach((isBad, half) => {
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
    const rejected = this.outcomes.flatMap((outcome, k) => (outcome !== null && "error" in outcome ? [{ path: nameOf(this.jobs[k]), error: outcome.error }] : []));
    // As `cloth check --json` writes it.
    const report = {
      schema_version: this.versions.schema, meshes: judged, rejected, interrupted: this.outcomes.includes(null),
      provenance: {
        version: this.versions.package, commit: null, cpu: navigator.userAgent, logical_cpus: navigator.hardwareConcurrency,
        date: new Date().toISOString().replace(/\.\d+Z$/, "Z"), arguments: this.jobs.length < this.subjects.length ? nativeArguments(this.jobs[0]) : ["check", ...this.chosen.map(({ path }) => path)],
      },
    };
    const blob = new Blob([JSON.stringify(report, null, 2)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${(this.jobs[this.selected]?.garments[0].path ?? "check").replace(/\.[^.]*$/, "").replaceAll("*", "")}.check.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

Object.assign(globalThis, { page: new CheckPage() });
