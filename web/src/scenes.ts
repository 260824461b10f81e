// The scenes as the page shows them: what they are called, what they open with, and how far they reach.

/**
 * What a scene is seen beside. Without self-collision there is no gate either, as in the controls of `cloth
 * verify`.
 */
export type Beside = "nothing" | "gate" | "self";

/** A scene of the module. */
export interface Scene {
  title: string;
  /** What shows most beside it within two seconds. */
  beside: Beside;
  /**
   * Two corners of the box (m) that all of its runs stay in, whatever is beside it; about who walks, where
   * they began.
   */
  box: [[number, number, number], [number, number, number]];
  /** Why it waits for a visitor to play it, and then plays in slow motion. */
  waits?: string;
}

/** In the order of the module. */
export const SCENES: Record<string, Scene> = {
  "drape-sphere": { title: "Drape", beside: "self", box: [[-0.51, 0, -0.51], [0.51, 0.73, 0.51]] },
  pile: { title: "Pile", beside: "self", box: [[-0.51, 0, -0.22], [0.51, 1.06, 0.48]] },
  twist: { title: "Twist", beside: "self", box: [[-0.51, -0.22, -0.23], [0.51, 0.21, 0.23]] },
  "reef-knot": { title: "Reef knot", beside: "self", box: [[-0.87, -0.17, -0.05], [0.87, 0.17, 0.05]] },
  flag: { title: "Flag", beside: "self", box: [[-0.06, 0, -0.5], [1.51, 2.25, 0.6]] },
  "cape-walk": { title: "Cape", beside: "nothing", box: [[-0.68, -0.02, -0.54], [0.68, 1.7, 0.47]] },
  tangled: { title: "Tangled", beside: "self", box: [[-0.26, 0.17, -0.28], [3.3, 1.26, 1.28]], waits: "Eight tangled starts. Play: recovery resolves them within 0.2 s." },
  push: { title: "Push", beside: "self", box: [[-0.46, 0.14, -0.76], [0.46, 1.06, 0.76]] },
};
