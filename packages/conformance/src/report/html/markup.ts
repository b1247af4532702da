import { markupText } from "../../values/escape.ts";

/** Finished HTML. {@link markup} escapes all other values as text. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values of a template: text, numbers, finished HTML, or undefined for nothing. */
type Content = string | number | Markup | readonly Markup[] | undefined;

/**
 * A template for HTML that escapes every value except {@link Markup}, so that data cannot become markup through
 * forgotten escaping. Control characters and direction overrides in values become visible.
 * @example markup`<p title="${data}">${data}</p>`
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(strings.reduce((text, part, index) => text + written(values[index - 1]) + part));
}

function written(value: Content): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map((part) => part.text).join("");
  return markupText(String(value));
}

/** Joins pieces of HTML with a separator. */
export function joined(parts: readonly Markup[], separator: string): Markup {
  return new Markup(parts.map((part) => part.text).join(separator));
}

/** Several lines of text, escaped, as one preformatted text. */
export function preformatted(lines: readonly string[]): Markup {
  return new Markup(lines.map(markupText).join("\n"));
}
