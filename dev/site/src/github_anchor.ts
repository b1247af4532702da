/** Anchor of a heading, as GitHub makes it: its text in lower case, without punctuation, with hyphens for spaces. */
export function githubAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
