import { type Content, type Markup, markup } from "./markup.ts";

export interface Tile {
  name: string;
  value: Content;
  detail?: Content;
  /** True for a figure that a reader has to notice. */
  loud?: boolean;
}

/** A figure with its unit in a smaller size. */
export function withUnit(text: string): Markup {
  const [figure, unit] = text.split(" ");
  return unit === undefined ? markup`${figure}` : markup`${figure} <small>${unit}</small>`;
}

/** The main figures, as a list of terms and values. */
export function tileList(tiles: readonly Tile[]): Markup {
  return markup`<dl class="tiles">${tiles.map(
    ({ name, value, detail, loud }) =>
      markup`<div class="tile${loud ? " loud" : undefined}"><dt>${name}</dt><dd>${value}</dd>${detail === undefined ? undefined : markup`<dd class="detail">${detail}</dd>`}</div>`,
  )}</dl>
`;
}
