import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A path in a module's text: `new URL("../cases/", import.meta.url)`, `join(root, "docs/guides")`, `programs/${name}`. */
const PATH = /["'`]((?:\.{1,2}\/)*[\w@.-]+(?:\/[\w@.-]+)*\/?|(?:\.{1,2}\/)+)["'`$]/g;

/** An import of a module's types, which does not load it. */
const TYPES = /\bimport type [^;]*;/g;

/** A module of another package: `@perdura/internals/text/describe.js`. */
const OF_PACKAGE = /["']@perdura\/([\w-]+)\/([\w/-]+)\.js["']/g;

/**
 * Modules that read, import or start a changed file, and those that do so with one of them: their text has the path of
 * the file, or of a folder that contains it, relative to the module or to the repository. So a case, a schema, a page or
 * any module of a program affects the tests that start the program. A module that has only the path of the repository
 * reads all documents, as far as one can tell.
 *
 * @param repository Absolute path of the repository's root.
 * @param changed Files from there.
 * @param modules All modules of the repository, in the same form.
 * @param read Returns the text of a module.
 */
export function readersOf(
  repository: string,
  changed: readonly string[],
  modules: readonly string[],
  read: (file: string) => string,
): string[] {
  const root = resolve(repository);
  const named = new Map(modules.map((module) => [module, namedPaths(root, module, read(module))]));
  const found = new Set<string>();
  for (const [module, paths] of named) {
    const readsAll = paths.has(root) && ![...paths].some((path) => path !== root && existsSync(path));
    const reads = (file: string): boolean => {
      const path = resolve(root, file);
      if (file === module) return false;
      // Folders with modules of many subjects are read for other files.
      if (isModule(file)) return paths.has(path) || paths.has(dirname(path));
      return readsAll || foldersOf(root, path).some((each) => paths.has(each));
    };
    if (changed.some(reads)) found.add(module);
  }
  // A test that starts a program imports none of its modules.
  for (const reader of found) {
    if (!PROGRAM_PART.test(reader)) continue;
    const path = resolve(root, reader);
    for (const [module, paths] of named) if (module !== reader && paths.has(path)) found.add(module);
  }
  return modules.filter((module) => found.has(module));
}

/** Paths that a module names; only some of them exist. */
function namedPaths(root: string, module: string, text: string): Set<string> {
  const folder = dirname(join(root, module));
  const loaded = text.replaceAll(TYPES, "");
  const ofPackages = [...loaded.matchAll(OF_PACKAGE)].map(([, name = "", path = ""]) =>
    join(root, "packages", name, "src", `${path}.ts`),
  );
  const paths = [...loaded.matchAll(PATH)].flatMap(([, path = ""]) => [
    resolve(folder, path),
    ...(path.startsWith(".") ? [] : [resolve(root, path)]),
  ]);
  return new Set([...paths.filter((path) => path.startsWith(root)), ...ofPackages]);
}

/** The path, and the folders that contain it, without the repository. */
function foldersOf(root: string, path: string): string[] {
  const found: string[] = [];
  for (let each = path; each !== root && each !== dirname(each); each = dirname(each)) found.push(each);
  return found;
}

/** A module of which a program may consist. */
const PROGRAM_PART = /^packages\/[^/]+\/src\//;

/** True for files that others import, so that tests are found by the imports. */
const isModule = (file: string): boolean => /\.[cm]?[jt]s$/.test(file);
