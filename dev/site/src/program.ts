import { relative } from "node:path";
import type { DocumentationEntryPoint } from "typedoc";
import ts from "typescript";
import { type DocumentedPackage, PACKAGES } from "./packages.ts";
import { inRepository } from "./repository.ts";

/**
 * One program for all packages: shared files are read and bound once.
 *
 * @param changed Options that differ from those of the repository.
 */
export function makeProgram(changed: ts.CompilerOptions = {}): ts.Program {
  const { config, error } = ts.readConfigFile(inRepository("tsconfig.base.json"), (path) => ts.sys.readFile(path));
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"));
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, inRepository("."));
  const entryPoints = PACKAGES.flatMap(entryPointsOf).map(({ path }) => path);
  return ts.createProgram(entryPoints, { ...options, composite: false, incremental: false, noEmit: true, ...changed });
}

/** The modules of a package, for TypeDoc. */
export function modulesOf(documented: DocumentedPackage, program: ts.Program): DocumentationEntryPoint[] {
  return entryPointsOf(documented).map(({ name, path }) => {
    const sourceFile = program.getSourceFile(path);
    if (sourceFile === undefined)
      throw new Error(`${relative(inRepository("."), path)}: the entry point does not exist`);
    return { displayName: name, program, sourceFile };
  });
}

function entryPointsOf({ folder, modules }: DocumentedPackage): { name: string; path: string }[] {
  return Object.entries(modules).map(([name, file]) => ({ name, path: inRepository(`packages/${folder}/${file}`) }));
}
