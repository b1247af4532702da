import { readFileSync } from "node:fs";

/**
 * A page with new content in its marked parts, each between `<!-- name -->` and `<!-- end of name -->`.
 * @throws {Error} if the page lacks a mark.
 */
export function withParts(file: string, parts: Readonly<Record<string, string>>): string {
  const page = readFileSync(file, "utf8");
  return Object.entries(parts).reduce((text, [name, part]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${file}: expected ${begin} and ${end}`);
    return `${text.slice(0, from + begin.length)}\n\n${part}\n\n${text.slice(to)}`;
  }, page);
}
