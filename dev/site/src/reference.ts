import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Application } from "typedoc";
import type { NavigationJSON, PluginOptions } from "typedoc-plugin-markdown";
import { Addresses } from "./addresses.ts";
import { assertNoComplaints } from "./complaints.ts";
import { convertPackages } from "./convert_packages.ts";

/** Options of the pages. */
const PAGES: Partial<PluginOptions> = {
  hidePageHeader: true,
  entryFileName: "index",
  useCodeBlocks: false,
  expandParameters: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "list",
  indexFormat: "table",
};

/**
 * Writes the reference of all packages as Markdown.
 *
 * @param place A folder; its content is replaced.
 * @returns The packages, with their modules and names, in the order of the sidebar.
 * @throws Error if TypeDoc warned of anything: a name without a docstring, a link to an unknown name.
 */
export async function writeReference(place: string): Promise<NavigationJSON> {
  const folder = mkdtempSync(join(tmpdir(), "perdura-site-"));
  try {
    const navigation = join(folder, "navigation.json");
    const app = await Application.bootstrapWithPlugins({
      ...PAGES,
      plugin: ["typedoc-plugin-markdown"],
      name: "perdura",
      readme: "none",
      disableGit: true,
      entryPointStrategy: "merge",
      entryPoints: await convertPackages(folder),
      navigation: { includeCategories: false, includeGroups: false, includeFolders: false, excludeReferences: true },
      navigationJson: navigation,
      sort: ["documents-first"],
      sortEntryPoints: false,
      router: "perdura",
    } as object);
    app.renderer.defineRouter("perdura", Addresses);
    const project = await app.convert();
    if (project === undefined) throw new Error("TypeDoc could not read the packages; its messages are above.");
    app.validate(project);
    await app.outputs.writeOutput({ name: "markdown", path: place }, project);
    assertNoComplaints(app, "The reference");
    return JSON.parse(readFileSync(navigation, "utf8")) as NavigationJSON;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
