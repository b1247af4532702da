import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application, normalizePath, type ProjectReflection, type TypeDocOptions } from "typedoc";
import { assertNoComplaints } from "./complaints.ts";
import { forgetHiddenBases } from "./own_members.ts";
import { type DocumentedPackage, PACKAGES } from "./packages.ts";
import { makeProgram, modulesOf } from "./program.ts";

const READING: TypeDocOptions = {
  entryPoints: [],
  readme: "none",
  // Other checks of `npm test` compile them, with the TypeScript of the workspace.
  skipErrorChecking: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeProtected: true,
  disableSources: true,
  sort: ["kind", "alphabetical"],
  sortEntryPoints: false,
  validation: { notExported: true, invalidLink: true, invalidPath: true, rewrittenLink: true, notDocumented: true },
  requiredToBeDocumented: ["Class", "Interface", "Function", "Method", "Accessor", "TypeAlias", "Variable"],
  treatWarningsAsErrors: true,
};

/**
 * Reads the exports of each package separately, and writes them into files that TypeDoc can merge.
 *
 * @param folder An empty folder.
 * @returns The files, in the order of the packages.
 * @throws Error if TypeDoc warned of anything, for example of a name without a docstring.
 */
export async function convertPackages(folder: string): Promise<string[]> {
  const app = await Application.bootstrap(READING);
  const program = makeProgram();
  const files = PACKAGES.map((documented) => {
    app.options.setValue("name", documented.title);
    const project = app.converter.convert(modulesOf(documented, program));
    validate(app, project, documented);
    forgetHiddenBases(project);
    // The README of the package contains the same, and more.
    delete project.comment;
    const file = join(folder, `${documented.slug}.json`);
    // Merging resolves paths against the working directory.
    const json = app.serializer.projectToObject(project, normalizePath(process.cwd()));
    writeFileSync(file, JSON.stringify(json));
    return file;
  });
  assertNoComplaints(app, "The docstrings");
  return files;
}

/** TypeDoc reports missing types only for the types of one package, and `internals` is another. */
function validate(app: Application, project: ProjectReflection, { folder, borrowed = [] }: DocumentedPackage): void {
  app.options.setValue("packagesRequiringDocumentation", [`@perdura/${folder}`, "@perdura/internals"]);
  project.packageName = `@perdura/${folder}`;
  app.validate(project);
  const { validation } = READING;
  app.options.setValue("validation", {
    invalidLink: false,
    invalidPath: false,
    rewrittenLink: false,
    notDocumented: false,
  });
  app.options.setValue("intentionallyNotExported", borrowed);
  project.packageName = "@perdura/internals";
  app.validate(project);
  app.options.setValue("intentionallyNotExported", []);
  app.options.setValue("validation", validation as object);
}
