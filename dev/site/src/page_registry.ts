import { statSync } from "node:fs";
import { extname } from "node:path";
import { type FileId, type NormalizedPath, ValidatingFileRegistry } from "typedoc";

/** Files that are copied into the site when a page links to them: a browser shows these. */
const SHOWN = [".svg", ".png", ".json"];

/**
 * Knows where the relative links of the pages lead: to pages of the site, to files that a browser shows, or to another file
 * or folder of the repository, which the site does not have.
 */
export class PageRegistry extends ValidatingFileRegistry {
  /** False for what the site does not have. */
  isOnSite(target: FileId): boolean {
    return this.mediaToReflection.has(target) || isShown(this.resolvePath(target) as string);
  }

  /** The files that TypeDoc copies; it expects that nothing else is linked to. */
  override getMediaPaths(): NormalizedPath[] {
    return [...super.getMediaPaths()].filter(isShown);
  }
}

function isShown(path: string): boolean {
  return SHOWN.includes(extname(path)) && statSync(path).isFile();
}
