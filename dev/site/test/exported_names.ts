import type ts from "typescript";
import type { DocumentedPackage } from "../src/packages.ts";
import { makeProgram, modulesOf } from "../src/program.ts";

let program: ts.Program | undefined;

/** Exports of each module of a package, values and types, according to the compiler. */
export function exportedNames(documented: DocumentedPackage): Map<string, string[]> {
  // Names need none of the types that JavaScript and Node.js bring.
  program ??= makeProgram({ noLib: true, types: [] });
  const checker = program.getTypeChecker();
  return new Map(
    modulesOf(documented, program).map(({ displayName, sourceFile }) => {
      const module = checker.getSymbolAtLocation(sourceFile);
      if (module === undefined) throw new Error(`${displayName} exports nothing`);
      return [displayName, checker.getExportsOfModule(module).map(({ name }) => name)];
    }),
  );
}
