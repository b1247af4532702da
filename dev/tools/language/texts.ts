import { parseSync, Visitor } from "oxc-parser";

/** A text that people read, with its place. */
export interface ReadText {
  /** Of the file; 1 is the first. */
  line: number;
  text: string;
  kind: "comment" | "doc comment" | "message" | "page" | "description";
}

/** A name in code, in SQL, in a document or of a file, with its first place. */
export interface ReadName {
  line: number;
  name: string;
}

/** A literal that is a name: `merged_rows`, `mergedRows`, `--merged-rows`; a single word may be any data. */
const NAME = /^-{0,2}(?=\w*(?:[-_]|[a-z][A-Z]))[A-Za-z][\w-]*$/;
/** Names within a longer text, such as SQL: only those of several words are recognisable. */
const NAME_IN_TEXT = /\b[a-z]+(?:_[a-z]+)+\b/g;

/** Identifiers, and literals that are names or contain names with underscores. */
export function namesOfModule(name: string, source: string): ReadName[] {
  const found = new Map<string, number>();
  const lineAt = lineFinder(source);
  const add = (start: number, text: string): void => void (found.has(text) || found.set(text, lineAt(start)));
  const inLiteral = (start: number, text: string): void => {
    if (NAME.test(text)) add(start, text);
    else for (const [one] of text.matchAll(NAME_IN_TEXT)) add(start, one);
  };
  new Visitor({
    Identifier: ({ name: text, start }) => add(start, text),
    PrivateIdentifier: ({ name: text, start }) => add(start, text),
    Literal: ({ value, start }) => void (typeof value === "string" && inLiteral(start, value)),
    TemplateElement: ({ value, start }) => inLiteral(start, value.raw),
  }).visit(parseSync(name, source).program);
  return [...found].map(([text, line]) => ({ name: text, line }));
}

/** Keys of a JSON document, and values that are names. */
export function namesOfDocument(source: string): ReadName[] {
  const lines = source.split("\n");
  const names = new Set([...source.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, text = ""]) => text));
  return [...names]
    .filter((text) => NAME.test(text))
    .map((text) => ({ name: text, line: lines.findIndex((line) => line.includes(`"${text}"`)) + 1 }));
}

/** Comments, and literals of more than two words: messages, help, titles of tests. */
export function textsOfModule(name: string, source: string): ReadText[] {
  const { program, comments } = parseSync(name, source);
  const found: ReadText[] = [];
  const lineAt = lineFinder(source);
  for (const { type, value, start } of comments) {
    const doc = type === "Block" && value.startsWith("*");
    const text = value.replaceAll(/^\s*\*+ ?/gm, "").replaceAll(/```[\s\S]*?```/g, "");
    found.push({ line: lineAt(start), text: withoutCode(text), kind: doc ? "doc comment" : "comment" });
  }
  const message = (start: number, text: string): void => {
    if (/\S\s+\S+\s+\S/.test(text)) found.push({ line: lineAt(start), text: withoutCode(text), kind: "message" });
  };
  new Visitor({
    Literal: ({ value, start }) => void (typeof value === "string" && message(start, value)),
    TemplateLiteral: ({ quasis, start }) =>
      message(start, quasis.map(({ value }) => value.cooked ?? value.raw).join("…")),
  }).visit(program);
  return found.toSorted((one, other) => one.line - other.line);
}

/** Prose of a page in Markdown, a paragraph each; code and quotations are not ours. */
export function textsOfPage(source: string): ReadText[] {
  const found: ReadText[] = [];
  let fence: string | undefined;
  source.split("\n").forEach((text, index) => {
    const [mark] = /^\s*(?:`{3,}|~{3,})/.exec(text) ?? [];
    if (mark !== undefined)
      fence = fence === undefined ? mark.trim() : mark.trim().startsWith(fence) ? undefined : fence;
    else if (fence === undefined && !/^\s*>/.test(text))
      found.push({ line: index + 1, text: withoutCode(text), kind: "page" });
  });
  return found;
}

/** Forms of comments and strings in the languages that are not parsed here; a string in `"""` is a docstring of Python. */
const SCRIPT_TEXTS = {
  "#": /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?<=^|\s)#.*$/gm,
  "//": /"(?:[^"\\]|\\[\s\S])*"|`[^`]*`|\/\/.*$/gm,
} as const;

/** Comments and strings of more than two words in Python, Rust, Go, shell scripts, and YAML. */
export function textsOfScript(source: string, mark: keyof typeof SCRIPT_TEXTS): ReadText[] {
  const lineAt = lineFinder(source);
  return [...source.matchAll(SCRIPT_TEXTS[mark])].flatMap(({ 0: text, index }) => {
    const isComment = text.startsWith(mark) || text.startsWith('"""');
    if (!isComment && !/\S\s+\S+\s+\S/.test(text)) return [];
    return [{ line: lineAt(index), text: withoutCode(text), kind: isComment ? "comment" : "message" }];
  });
}

/** Keys of our JSON documents whose values are prose. */
const PROSE = new Set(["description", "title", "statement", "question", "answers", "unchecked", "why", "$comment"]);

/** Descriptions and titles in a JSON document. */
export function textsOfDocument(source: string): ReadText[] {
  const found: ReadText[] = [];
  const lines = source.split("\n");
  const add = (text: string): void => {
    const quoted = JSON.stringify(text).slice(1, -1);
    found.push({
      line: lines.findIndex((line) => line.includes(quoted)) + 1,
      text: withoutCode(text),
      kind: "description",
    });
  };
  const visit = (value: unknown, prose: boolean): void => {
    if (typeof value === "string") {
      if (prose && /\S\s+\S+\s+\S/.test(value)) add(value);
    } else if (value !== null && typeof value === "object")
      for (const [key, inner] of Object.entries(value))
        visit(inner, PROSE.has(key) || (prose && typeof inner === "string"));
  };
  visit(JSON.parse(source), false);
  return found;
}

/** Without quotations: text in backticks or typographic quotation marks, and single words in quotation marks. */
function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`|“[^”]*”|(["'])\w+\1/g, "…");
}

function lineFinder(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
