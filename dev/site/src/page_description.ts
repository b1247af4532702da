import { lexer, type Token } from "marked";

/** Maximum number of characters; search engines and messengers show no more. */
const MOST = 200;

/** The first paragraph below the heading of a page, as plain text, cut after a word; undefined without one. */
export function pageDescription(markdown: string): string | undefined {
  const tokens = lexer(markdown.replace(/^---\n[^]*?\n---\n/, ""));
  const below = tokens.slice(tokens.findIndex(({ type }) => type === "heading") + 1);
  for (const token of below) {
    const text = token.type === "paragraph" ? plainText(token).replace(/\s+/g, " ").trim() : "";
    if (!/\p{L}/u.test(text)) continue;
    return text.length <= MOST ? text : `${/^.*\S(?= )/.exec(text.slice(0, MOST))?.[0] ?? ""} …`;
  }
  return undefined;
}

/** Text without pictures and HTML. */
function plainText(token: Token): string {
  if (token.type === "image" || token.type === "html") return "";
  if (token.type === "br") return " ";
  if ("tokens" in token && token.tokens !== undefined) return token.tokens.map(plainText).join("");
  const text = "text" in token ? String(token.text) : "";
  return text.replace(/&(?:lt|gt|quot|#39|amp);|"/g, (entity) => CHARACTERS[entity] as string);
}

/** VitePress writes a description into an attribute as it is, so no `"` may be left. */
const CHARACTERS: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": "'",
  "&#39;": "'",
  "&amp;": "&",
  '"': "'",
};
