/** The anchors of a Markdown page on GitHub: those of its headings, and explicit ones. */
export function githubAnchors(page: string): Set<string> {
  const text = page.replaceAll(/^(```+)[^]*?^\1$/gm, "");
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name]) => name as string);
  const anchors = new Set(named);
  for (const [, heading] of text.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const anchor = anchorOf(heading as string);
    let free = anchor;
    for (let again = 1; anchors.has(free); again += 1) free = `${anchor}-${again}`;
    anchors.add(free);
  }
  return anchors;
}

/** Anchor of a heading: its visible text in lower case, without punctuation, with hyphens for spaces. */
function anchorOf(heading: string): string {
  const seen = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/(?<!\w)[*_]+|[*_]+(?!\w)/g, "");
  return seen
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
