import { escapeControls } from "../values/escape.ts";

const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/**
 * Text as XML and HTML show it, in elements and in quoted attributes: markup becomes entities, control characters and
 * direction overrides become visible as `\uXXXX`, and what XML 1.0 forbids even so is left out.
 * @example markupText('</script>\u202e') // "&lt;/script&gt;\\u202e"
 */
export function markupText(text: string): string {
  return escapeControls(text)
    .replace(NOT_XML, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
