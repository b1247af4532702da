/** A start tag of a page. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
}

const TAG = /^<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*)(\/?)>/;

/** Elements of HTML without content and end tag. */
const EMPTY = new Set(["meta"]);

/**
 * Reads a page as strictly as XML, except for HTML's empty elements.
 *
 * @throws Error if an element is not closed, an attribute is not quoted, or a character is not escaped.
 */
export function elementsOf(page: string): { elements: Element[]; text: string } {
  const elements: Element[] = [];
  const open: string[] = [];
  let text = "";
  let rest = page.replace(/^<!doctype html>/, "").replaceAll(/<style>[^<]*<\/style>/g, "");
  while (rest !== "") {
    const [before = ""] = /^[^<]*/.exec(rest) ?? [];
    text += unescaped(before);
    rest = rest.slice(before.length);
    if (rest === "") break;
    const [tag, end, name = "", attributes = "", closed] = TAG.exec(rest) ?? [];
    if (tag === undefined) throw new Error(`Expected a tag, found ${rest.slice(0, 80)}`);
    rest = rest.slice(tag.length);
    if (end === "/") {
      const last = open.pop();
      if (last !== name) throw new Error(`Expected </${last}>, found </${name}>`);
      continue;
    }
    const pairs = [...attributes.matchAll(/ ([^=]+)="([^"]*)"/g)].map(
      ([, key = "", value = ""]) => [key, unescaped(value)] as const,
    );
    elements.push({ name, attributes: Object.fromEntries(pairs) });
    if (closed === "" && !EMPTY.has(name)) open.push(name);
  }
  if (open.length > 0) throw new Error(`Not closed: ${open.join(", ")}`);
  return { elements, text };
}

const CHARACTERS: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&[^;]*;?|>/g, (entity) => {
    const character = CHARACTERS[entity];
    if (character === undefined) throw new Error(`Not escaped: ${text}`);
    return character;
  });
}
