import { markupText } from "../../values/escape.ts";

/** Finished HTML. Everything else that goes into {@link markup} is text and becomes harmless. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What can stand in a template: text, numbers, finished HTML, or nothing. */
type Content = string | number | Markup | readonly Markup[] | undefined;

/**
 * A template for HTML in which every value is text unless it is {@link Markup} itself: data cannot become markup by
 * forgetting to escape it. Control characters and direction overrides in it become visible.
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

/** Pieces of HTML with something between them. */
export function joined(parts: readonly Markup[], separator: string): Markup {
  return new Markup(parts.map((part) => part.text).join(separator));
}

/** Several lines of text, each harmless, as one preformatted text. */
export function preformatted(lines: readonly string[]): Markup {
  return new Markup(lines.map(markupText).join("\n"));
}
