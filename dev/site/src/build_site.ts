import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Application } from "typedoc";
import { addresses } from "./addresses.ts";
import { arrange } from "./arrange.ts";
import { assertNoComplaints } from "./complaints.ts";
import { convertPackages } from "./convert_packages.ts";
import { LOOKS } from "./options.ts";
import { openSections } from "./open_sections.ts";
import { PageRegistry } from "./page_registry.ts";
import { sitePages } from "./pages.ts";
import { inRepository } from "./repository.ts";
import { followLinks } from "./links.ts";
import { unlinkFiles } from "./unlinked.ts";

/**
 * Builds the site.
 *
 * @param place A folder; its content is replaced.
 * @returns The external links, which were not checked.
 * @throws Error if TypeDoc warned of anything: a name without a docstring, a broken link.
 */
export async function buildSite(place: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "perdura-site-"));
  try {
    const pages = sitePages();
    const app = await Application.bootstrap({
      ...LOOKS,
      entryPointStrategy: "merge",
      entryPoints: await convertPackages(folder),
      projectDocuments: pages.map(({ path }) => inRepository(path)),
    });
    const registry = new PageRegistry();
    app.files = registry;
    app.renderer.defineRouter("perdura", addresses(pages, registry));
    openSections(app);
    app.on(Application.EVENT_PROJECT_REVIVE, (project) => arrange(project, pages, registry), 10);
    app.on(Application.EVENT_PROJECT_REVIVE, (project) => unlinkFiles(project, registry), -10);
    const project = await app.convert();
    if (project === undefined) throw new Error("TypeDoc could not read the packages; its messages are above.");
    app.validate(project);
    assertNoComplaints(app, "The pages");
    await app.generateDocs(project, place);
    assertNoComplaints(app, "The site");
    const { dead, external } = followLinks(place);
    if (dead.length > 0) throw new Error(`${place} has broken links:\n${dead.join("\n")}`);
    return external;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
