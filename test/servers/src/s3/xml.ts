/** XML text that is already escaped. */
export class Xml {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Content = string | number | boolean | Xml | readonly Xml[];

/** Writes an element; text in it is escaped like in S3: control characters become references. */
export function element(name: string, content: Content, attributes = ""): Xml {
  const inner =
    content instanceof Xml ? content.text : Array.isArray(content) ? content.join("") : escaped(String(content));
  return new Xml(`<${name}${attributes}>${inner}</${name}>`);
}

/** A complete document in S3's namespace. */
export function document(name: string, content: readonly Xml[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(name, content, ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"')}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"'\u0000-\u001f]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A parsed element. */
export interface XmlElement {
  name: string;
  children: XmlElement[];
  text: string;
}

/**
 * @returns The outermost element; undefined for text that is not XML, or has constructs that requests to S3 never
 * contain.
 */
export function parseXml(source: string): XmlElement | undefined {
  const root: XmlElement = { name: "", children: [], text: "" };
  const open = [root];
  const tokens = /<\?[^>]*\?>|<(\/?)([A-Za-z][\w.-]*)(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>|([^<]+)/gy;
  let read = 0;
  for (const [whole, closing, name, empty, text] of source.matchAll(tokens)) {
    read += whole.length;
    const inner = open.at(-1) as XmlElement;
    if (text !== undefined) inner.text += unescaped(text);
    else if (name === undefined) continue;
    else if (closing === "/") {
      if (open.pop()?.name !== name) return undefined;
    } else {
      const child: XmlElement = { name, children: [], text: "" };
      inner.children.push(child);
      if (empty !== "/") open.push(child);
    }
  }
  return read === source.length && open.length === 1 && root.children.length === 1 ? root.children[0] : undefined;
}

/** The text of the only child with that name; undefined without one. */
export function childText(parent: XmlElement, name: string): string | undefined {
  return parent.children.find((child) => child.name === name)?.text;
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return NAMED[name ?? ""] ?? whole;
  });
}
