import { githubAnchor } from "../../dev/site/src/github_anchor.ts";

/** The anchors of a Markdown page on GitHub: those of its headings, and explicit ones. */
export function githubAnchors(page: string): Set<string> {
  const text = page.replaceAll(/^(```+)[^]*?^\1$/gm, "");
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name]) => name as string);
  const anchors = new Set(named);
  for (const [, heading] of text.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const anchor = anchorOf(heading as string);
    let free = anchor;
    for (let copy = 1; anchors.has(free); copy += 1) free = `${anchor}-${copy}`;
    anchors.add(free);
  }
  return anchors;
}

/** Without the marks of Markdown, which readers do not see. */
function anchorOf(heading: string): string {
  return githubAnchor(heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/(?<!\w)[*_]+|[*_]+(?!\w)/g, ""));
}
