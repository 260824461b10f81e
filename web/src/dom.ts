// What every page writes into its document.

export const NO_WEBGL = "This browser has no WebGL 2, which draws the cloth. Allow hardware acceleration, or use another browser.";

export const NO_WASM = "This browser has no WebAssembly, in which the cloth is computed. Allow it, or use another browser.";

/** Whether the module can run here. */
export function hasWasm(): boolean {
  return typeof WebAssembly === "object";
}

/** The element of an id, which the page has. */
export function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element "${id}"`);
  return found as T;
}

/** Names and values as the rows of a description list. */
export function rows(pairs: [name: string, value: string][]): HTMLElement[] {
  return pairs.map(([name, value]) => {
    const row = document.createElement("div");
    const [term, data] = [document.createElement("dt"), document.createElement("dd")];
    [term.textContent, data.textContent] = [name, value];
    row.append(term, data);
    return row;
  });
}
