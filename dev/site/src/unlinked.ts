import { basename, relative } from "node:path";
import type { CommentDisplayPart, ProjectReflection } from "typedoc";
import type { PageRegistry } from "./page_registry.ts";
import { inRepository } from "./repository.ts";

/**
 * Turns links to files and folders that the site does not have into text: the text of the link, and the path if it is
 * different. On GitHub they remain links.
 */
export function unlinkFiles(project: ProjectReflection, registry: PageRegistry): void {
  for (const reflection of Object.values(project.reflections)) {
    if (reflection.isDocument()) reflection.content = withoutFiles(reflection.content, registry);
    else if ((reflection.isProject() || reflection.isDeclaration()) && reflection.readme !== undefined)
      reflection.readme = withoutFiles(reflection.readme, registry);
  }
}

/** The parts of a link are `…[words](`, the target, `)…`. */
function withoutFiles(parts: CommentDisplayPart[], registry: PageRegistry): CommentDisplayPart[] {
  const kept = structuredClone(parts);
  for (const [index, part] of kept.entries()) {
    if (part.kind !== "relative-link" || part.target === undefined || registry.isOnSite(part.target)) continue;
    const [before, after] = [kept[index - 1], kept[index + 1]];
    const opened = /^(.*)\[([^\]]+)\]\($/s.exec(before?.text ?? "");
    if (opened === null || before === undefined || !after?.text.startsWith(")"))
      throw new Error(
        `Cannot remove the link to ${part.text}, which is not on the site: expected the form [text](target).`,
      );
    const [, text = "", words = ""] = opened;
    before.text = text + spelledOut(words, relative(inRepository("."), registry.resolvePath(part.target) as string));
    kept[index] = { kind: "text", text: "" };
    after.text = after.text.slice(1);
  }
  return kept;
}

function spelledOut(words: string, path: string): string {
  return words.includes(basename(path)) ? words : `${words} (\`${path}\`)`;
}
