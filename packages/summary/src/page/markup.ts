/** Finished HTML. {@link markup} escapes all other values as text. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values of a template: text, numbers, finished HTML, or undefined for nothing. */
export type Content = string | number | Markup | readonly Markup[] | undefined;

/**
 * A template for HTML that escapes every value except {@link Markup}, so that data cannot become markup through
 * forgotten escaping. Control characters, direction overrides and lone surrogates in values become visible.
 * @example markup`<p title="${data}">${data}</p>`
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(strings.reduce((text, part, index) => text + written(values[index - 1]) + part));
}

function written(value: Content): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map((part) => part.text).join("");
  return visibleText(String(value)).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Control characters, directions, characters without width, lone surrogates and noncharacters. */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|\p{Cs}/gu;

/** Text whose invisible characters are written as `\uXXXX`, so that data cannot hide or forge a part of the page. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Longest text of data that the page shows in full, in UTF-16 code units. */
const LONGEST = 160;

/** The begin and the end of a text that is too long for a cell, with its length. */
export function shortText(text: string): string {
  if (text.length <= LONGEST) return text;
  // Half of a surrogate pair would become visible as an escape.
  const begin = text.slice(0, 100).replace(/[\ud800-\udbff]$/, "");
  const end = text.slice(-30).replace(/^[\udc00-\udfff]/, "");
  return `${begin} … ${end} (${text.length.toLocaleString("en-US")} characters)`;
}

/** A name from data. Empty names, and spaces only, would be invisible. */
export function nameText(name: string): string {
  if (name === "") return "(empty)";
  return shortText(name.trim() === "" ? name.replace(/\s/g, escaped) : name);
}

/** A value as JSON in a data block, which the scripts of the page read; it cannot close the block. */
export function dataBlock(className: string, value: unknown): Markup {
  const json = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "string" ? visibleText(inner) : inner,
  );
  return new Markup(`<script type="application/json" class="${className}">${json.replaceAll("<", "\\u003c")}</script>`);
}
