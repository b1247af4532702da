import { statSync } from "node:fs";
import { extname } from "node:path";
import { type FileId, type NormalizedPath, ValidatingFileRegistry } from "typedoc";

/** Files that are copied into the site if a page links to them, since browsers display them. */
const SHOWN = [".svg", ".png", ".json"];

/**
 * Resolves the relative links of the pages: to pages of the site, to files that a browser displays, or to other files
 * and folders of the repository, which the site does not have.
 */
export class PageRegistry extends ValidatingFileRegistry {
  /** False for files that the site does not have. */
  isOnSite(target: FileId): boolean {
    return this.mediaToReflection.has(target) || isShown(this.resolvePath(target) as string);
  }

  /** The files that TypeDoc copies; it expects all linked files to be among them. */
  override getMediaPaths(): NormalizedPath[] {
    return [...super.getMediaPaths()].filter(isShown);
  }
}

function isShown(path: string): boolean {
  return SHOWN.includes(extname(path)) && statSync(path).isFile();
}
