import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NavigationJSON } from "typedoc-plugin-markdown";
import { landingPage } from "./landing_page.ts";
import { LINK_PICTURE } from "./link_preview.ts";
import type { Page } from "./pages.ts";
import { writeReference } from "./reference.ts";
import { inRepository } from "./repository.ts";

/**
 * Writes the pages of the site into a folder for VitePress: the reference, copies of the repository's pages, and the
 * front page. The page of a package is its README, followed by the list of its modules or names.
 *
 * @param folder Its content is replaced.
 * @returns The packages with their modules and names, for the sidebar.
 */
export async function writePages(folder: string, pages: Page[]): Promise<NavigationJSON> {
  rmSync(folder, { recursive: true, force: true });
  const navigation = await writeReference(folder);
  for (const { path, address } of pages) {
    const file = join(folder, `${address}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, readFileSync(inRepository(path), "utf8") + namesOf(file));
  }
  writeFileSync(join(folder, "index.md"), landingPage());
  cpSync(inRepository("dev/site/src/favicon.svg"), join(folder, "public", "favicon.svg"));
  cpSync(inRepository("docs/pictures/link.png"), join(folder, "public", LINK_PICTURE));
  return navigation;
}

/** The list that TypeDoc wrote, without its heading, which the README has, and what is above it. */
function namesOf(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^[^]*?^# .*\n/m, "\n");
  } catch {
    return "";
  }
}
