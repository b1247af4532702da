/** The parts that are used of the Markdown parser, whose types TypeDoc does not export. */
interface Parser {
  linkify: { set(options: { fuzzyLink: boolean }): void };
  core: { ruler: { push(name: string, rule: (state: { tokens: Token[] }) => void): void } };
}

interface Token {
  type: string;
  content: string;
  children: Token[] | null;
  attrs?: [name: string, value: string][] | null;
}

/** Corrects TypeDoc's parsing of our pages. */
export function adjustParser(parser: Parser): void {
  // CONTRIBUTING.md is not an address, although .md is Moldova's domain.
  parser.linkify.set({ fuzzyLink: false });
  parser.core.ruler.push("code-in-headings", ({ tokens }) => {
    for (const [index, heading] of tokens.entries())
      if (tokens[index - 1]?.type === "heading_open") heading.children?.forEach(countCode);
  });
  parser.core.ruler.push("front-page", ({ tokens }) => {
    for (const { children } of tokens) for (const { attrs } of children ?? []) attrs?.forEach(nameFrontPage);
  });
}

/** TypeDoc makes the anchor of a heading from its texts and its elements with children. On GitHub, code counts too. */
function countCode(part: Token): void {
  if (part.type === "code_inline") part.children = [{ type: "text", content: part.content, children: null }];
}

/** A link to the front page leads to its folder, which without a server is a list of files. */
function nameFrontPage(attribute: [name: string, value: string]): void {
  const [name, value] = attribute;
  if (name === "href") attribute[1] = value.replace(/^((?:\.\.?\/)+)(?=#|$)/, "$1index.html");
}
