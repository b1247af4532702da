import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A path in a module's text: `new URL("../cases/", import.meta.url)`, `join(root, "docs/guides")`, `programs/${name}`. */
const PATH = /["'`]((?:\.{1,2}\/)*[\w@.-]+(?:\/[\w@.-]+)*\/?|(?:\.{1,2}\/)+)["'`$]/g;

/**
 * Modules that read or start a changed file without importing it: those whose text has the path of the file or of a
 * folder that contains it, relative to the module or to the repository. So a case, a schema, a page or a program of a
 * test affects tests. A module that has only the path of the repository reads all documents, as far as one can tell.
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
  return modules.filter((module) => {
    const [at, named] = [resolve(root, module), namedPaths(root, module, read(module))];
    const readsAll = named.has(root) && ![...named].some((path) => path !== root && existsSync(path));
    return changed.some((file) => {
      const path = resolve(root, file);
      if (path === at) return false;
      // Folders with modules of many subjects are read for other files.
      if (isModule(file)) return named.has(path) || named.has(dirname(path));
      return readsAll || foldersOf(root, path).some((each) => named.has(each));
    });
  });
}

/** Paths that a module names; only some of them exist. */
function namedPaths(root: string, module: string, text: string): Set<string> {
  const folder = dirname(join(root, module));
  const paths = [...text.matchAll(PATH)].flatMap(([, path = ""]) => [
    resolve(folder, path),
    ...(path.startsWith(".") ? [] : [resolve(root, path)]),
  ]);
  return new Set(paths.filter((path) => path.startsWith(root)));
}

/** The path, and the folders that contain it, without the repository. */
function foldersOf(root: string, path: string): string[] {
  const found: string[] = [];
  for (let each = path; each !== root && each !== dirname(each); each = dirname(each)) found.push(each);
  return found;
}

/** True for files that others import, so that tests are found by the imports. */
const isModule = (file: string): boolean => /\.[cm]?[jt]s$/.test(file);
