// What a report says, as the page shows it: the report of a mesh, or that of garments with their bodies.
import type { CheckCrossing, CheckExample, CheckReport, DeepestReport, KindFigures, OutfitCounts, OutfitExample, OutfitReport, PartReport } from "../cloth-web/pkg/cloth_web.js";
import type { Place } from "./mesh-view.js";

/** An entry of a list: text, and what it points at, in the state that is shown or in another. */
export interface Item { text: string; place?: Place; state?: number }

/** What was found, the worst first: how many, and their names. */
type Finding = [count: number, one: string, more: string];

export interface Findings {
  name: string;
  /** What is counted large, and what that counts. */
  count: number;
  unit: string;
  figures: [name: string, value: string][];
  lists: [title: string, items: Item[]][];
  /** Whether each frame is clean, and whether something crossed on the way to it. Empty for one state. */
  frames: { isClean: boolean; isCrossed: boolean; text: string }[];
  /** The first of the worst states. */
  worst: number;
  /** The meshes, in the order of their faces in the picture. */
  parts: { triangles: number; isBody: boolean }[];
}

export function number(n: number): string {
  return n.toLocaleString("en");
}

export function counted(n: number, one: string, more = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : more}`;
}

export function findings(report: CheckReport | OutfitReport): Findings {
  return "garments" in report ? ofOutfit(report) : ofMesh(report);
}

/** An intersection of the state that is shown. */
export function shownItem(example: CheckExample | OutfitExample): Item {
  const { edge: [a, b], face } = example;
  const text = "text" in example ? example.text : `edge ${a}-${b} ${example.proper ? "crosses" : "touches"} face ${face}`;
  return { text, place: { edges: [[a, b]], faces: [face], vertices: [] } };
}

function ofMesh(report: CheckReport): Findings {
  const found: Finding[] = [
    [report.intersections, "intersection", "intersections"],
    [report.doubled_faces, "face that lies on another", "faces that lie on others"],
    [report.flat_folds, "flat fold", "flat folds"],
    [report.impacts?.pass_throughs ?? 0, "pair crossed between frames", "pairs crossed between frames"],
    [report.left_out_faces, "face left out of the check", "faces left out of the check"],
  ];
  const worst = worstState(report);
  const crossing = report.frames.findIndex((state) => (state.impacts ?? 0) > 0);
  return {
    name: report.path,
    ...large(report.clean, found),
    figures: [
      ["vertices", number(report.vertices)],
      ["triangles", number(report.triangles)],
      ["intersections (edge and face)", number(report.intersections)],
      ["intersecting triangle pairs", number(report.intersecting_triangle_pairs)],
      ["touching or coplanar pairs", number(report.touching_triangle_pairs)],
      ["pairs that share a vertex", number(report.triangle_pairs_sharing_a_vertex)],
      ["flat folds", number(report.flat_folds)],
      ["faces that lie on others", number(report.doubled_faces)],
      ...(report.left_out_faces === 0 ? [] : [row("faces left out of the check", report.left_out_faces)]),
      ...(report.impacts === null ? [] : [row("crossings between frames", report.impacts.pass_throughs)]),
      ...unfinished(report),
    ],
    lists: [
      ["Faces that lie on others", report.doubled_examples.map(([face, first]) => (
        { text: `face ${face} lies on face ${first}`, place: { edges: [], faces: [face, first], vertices: [] }, state: worst }))],
      ["Flat folds", report.fold_examples.map(([a, b]) => (
        { text: `faces at edge ${a}-${b} lie flat on each other`, place: { edges: [[a, b]], faces: [], vertices: [] }, state: worst }))],
      [`Crossings in the motion to frame ${report.frames[crossing]?.frame ?? ""}`, (report.impacts?.examples ?? []).map((example) => {
        const place = "face" in example ? { edges: [], faces: [example.face], vertices: [example.vertex] } : { edges: example.edges, faces: [], vertices: [] };
        return { text: crossingInWords(example), place, state: crossing };
      })],
      ["Problems", problems(report)],
      ["Notes", report.notes.map((text) => ({ text }))],
    ],
    frames: report.frames.map(({ frame, intersections, doubled_faces, flat_folds, impacts }) => {
      const also: Finding[] = [[doubled_faces, "face that lies on another", "faces that lie on others"], [flat_folds, "flat fold", "flat folds"]];
      return {
        isClean: intersections + doubled_faces + flat_folds === 0, isCrossed: (impacts ?? 0) > 0,
        text: `frame ${frame}: ${counted(intersections, "intersection")}${inWords(also)}${onTheWay(impacts ?? 0)}`,
      };
    }),
    worst,
    parts: [{ triangles: report.triangles, isBody: false }],
  };
}

function ofOutfit(report: OutfitReport): Findings {
  const { garments, bodies, intersections } = report;
  const parts = [...garments, ...bodies];
  const crossed = report.crossings === null ? 0 : withCloth(report.crossings);
  const leftOut = parts.reduce((sum, part) => sum + part.left_out_faces, 0);
  const ofBodies = (name: string, n: number): [string, string][] => (n === 0 ? [] : [[name, `${number(n)}, does not count`]]);
  const deepest = [["vertex", report.deepest_vertex], ["face", report.deepest_face]] as const;
  const worst = Math.max(0, report.frames.findIndex(({ frame }) => frame === report.worst_frame));
  const crossings = report.examples.filter(({ text }) => text.includes(" in the motion to frame "));
  return {
    name: `${garments.map(({ path }) => path).join(", ")} on ${bodies.map(({ path }) => path).join(", ")}`,
    ...large(report.clean, [...outfitFindings(report), [crossed, "pair crossed between frames", "pairs crossed between frames"], [leftOut, "face left out of the check", "faces left out of the check"]]),
    figures: [
      ...garments.map((part): [string, string] => [part.path, triangles(part)]),
      ...bodies.map((body): [string, string] => [body.path, `${triangles(body)}, body, ${body.closed ? "closed" : "open"}${body.turned ? ", faces point inward" : ""}`]),
      ["intersections of cloth with body", number(intersections.cloth_body)],
      ["of cloth with cloth", number(intersections.cloth_cloth)],
      ["of cloth with itself", number(intersections.cloth_self)],
      ...ofBodies("of body with itself", intersections.body_self),
      ...ofBodies("of body with body", intersections.body_body),
      ["flat folds, faces on others", number(withCloth(report.folds))],
      ["vertices inside of a body", number(report.vertices_inside)],
      ...deepest.flatMap(([what, found]) => (found === null ? [] : [[`deepest ${what}`, millimetres(found.depth)] as [string, string]])),
      ["area inside of a body", share(report.share_inside)],
      ...(leftOut === 0 ? [] : [row("faces left out of the check", leftOut)]),
      ...(report.crossings === null ? [] : [row("crossings between frames", crossed)]),
      ...unfinished(report),
    ],
    lists: [
      ["Deepest inside of a body", deepest.flatMap(([what, found]) => (found === null ? [] : [
        { text: `${what} ${found.number} of ${found.path}: ${millimetres(found.depth)} in ${found.body}`, place: placeOf(garments, what, found), state: worst }]))],
      ["Crossings between frames", crossings.map(({ text }) => ({ text }))],
      ["Problems", parts.flatMap((part) => problems(part).map(({ text }) => ({ text: `${part.path}: ${text}` })))],
      ["Notes", [...report.notes, ...parts.flatMap(({ path, notes }) => notes.map((note) => `${path}: ${note}`))].map((text) => ({ text }))],
    ],
    frames: report.frames.map((counts) => {
      const crossed = counts.crossings === null ? 0 : withCloth(counts.crossings);
      const [[meets, ...names], ...also] = outfitFindings(counts);
      const depth = counts.deepest_face === null ? "" : `, deepest ${millimetres(counts.deepest_face.depth)}`;
      return {
        isClean: meets === 0 && also.every(([count]) => count === 0), isCrossed: crossed > 0,
        text: `frame ${counts.frame}: ${counted(meets, ...names)}${inWords(also)}${depth}${onTheWay(crossed)}`,
      };
    }),
    worst,
    parts: [...garments.map((part) => ({ ...part, isBody: false })), ...bodies.map((part) => ({ ...part, isBody: true }))],
  };
}

/** What may be wrong with cloth in a state. */
function outfitFindings({ intersections, vertices_inside, folds }: OutfitCounts): Finding[] {
  return [
    [withCloth(intersections), "intersection with cloth", "intersections with cloth"],
    [vertices_inside, "vertex inside of a body", "vertices inside of a body"],
    [withCloth(folds), "flat fold or face on another", "flat folds or faces on others"],
  ];
}

function withCloth({ cloth_self, cloth_cloth, cloth_body }: KindFigures): number {
  return cloth_self + cloth_cloth + cloth_body;
}

/** Of a vertex or a face of a garment: its number in the picture comes after those of the garments before. */
function placeOf(garments: PartReport[], what: "vertex" | "face", { path, number: own }: DeepestReport): Place {
  const before = garments.slice(0, garments.findIndex((part) => part.path === path));
  const first = before.reduce((sum, part) => sum + (what === "vertex" ? part.vertices : part.triangles), 0);
  return what === "vertex" ? { edges: [], faces: [], vertices: [first + own] } : { edges: [], faces: [first + own], vertices: [] };
}

/** The worst of what was found. */
function large(isClean: boolean, found: Finding[]): { count: number; unit: string } {
  const worst = found.find(([count]) => count > 0);
  if (isClean || worst === undefined) return { count: 0, unit: isClean ? "clean" : "" };
  const [count, one, more] = worst;
  return { count, unit: count === 1 ? one : more };
}

function row(name: string, count: number): [string, string] {
  return [name, number(count)];
}

function triangles(part: PartReport): string {
  return counted(part.triangles, "triangle");
}

function unfinished({ stopped_after_pairs: pairs, unchecked_states: states }: CheckReport | OutfitReport): [string, string][] {
  return [...(pairs === null ? [] : [row("stopped after pairs of triangles", pairs)]), ...(states === 0 ? [] : [row("states not checked", states)])];
}

function problems({ problems: found }: Pick<CheckReport, "problems">): Item[] {
  return found.map(({ kind, count, examples }) => ({ text: `${number(count)} ${kind}: ${examples.join(", ")}${count > examples.length ? ", ..." : ""}` }));
}

function inWords(found: Finding[]): string {
  return found.filter(([count]) => count > 0).map((finding) => `, ${counted(...finding)}`).join("");
}

function onTheWay(crossed: number): string {
  return crossed > 0 ? `, ${counted(crossed, "pair")} crossed on the way to it` : "";
}

function millimetres(depth: number): string {
  return depth < 5e-6 ? "less than 0.01 mm" : `${(1e3 * depth).toFixed(2)} mm`;
}

function share(part: number): string {
  if (part === 0) return "0 %";
  return part < 5e-5 ? "less than 0.01 %" : `${(1e2 * part).toFixed(2)} %`;
}

function crossingInWords(crossing: CheckCrossing): string {
  if ("face" in crossing) return `vertex ${crossing.vertex} crosses face ${crossing.face}`;
  const [[a, b], [c, d]] = crossing.edges;
  return `edge ${a}-${b} crosses edge ${c}-${d}`;
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
