/**
 * `check_types.ts COMPILER PROJECT…`: compiles projects with a TypeScript in one process, as `tsc` does with `skipLibCheck`
 * off, except that it checks no declarations of other people's packages. Prints the errors; 1 if there are any.
 *
 * COMPILER is the path of its module, PROJECT that of a `tsconfig.json`.
 */
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type * as TypeScript from "typescript-6";

const [compiler = "", ...projects] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(compiler) as typeof TypeScript;

/** Declarations of the compiler and of other people's packages: the bulk of what a consumer loads. */
const FOREIGN = /\/typescript\/lib\/|\/node_modules\/(?!(?:perdura|perdura-15|@perdura\/[\w-]+)\/)/;
/** Declarations, parsed once for all projects that read them as the same kind of module, as `tsc --build` does. */
const parsed = new Map<string, TypeScript.SourceFile | undefined>();

const errors = projects.flatMap(errorsOf);
const names: TypeScript.FormatDiagnosticsHost = {
  getCurrentDirectory: () => process.cwd(),
  getCanonicalFileName: (name) => name,
  getNewLine: () => "\n",
};
process.stdout.write(ts.formatDiagnostics(errors, names));
process.exitCode = errors.length === 0 ? 0 : 1;

function errorsOf(project: string): readonly TypeScript.Diagnostic[] {
  const read = ts.readConfigFile(project, ts.sys.readFile);
  if (read.error !== undefined) return [read.error];
  const folder = dirname(project);
  const {
    options,
    fileNames,
    errors: inConfiguration,
  } = ts.parseJsonConfigFileContent(read.config, ts.sys, folder, undefined, project);
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile;
  host.getCurrentDirectory = () => folder;
  host.getSourceFile = (file, how, ...rest) => {
    if (!file.endsWith(".d.ts")) return parse(file, how, ...rest);
    const { languageVersion, impliedNodeFormat } = typeof how === "object" ? how : { languageVersion: how };
    const key = `${file} ${languageVersion} ${impliedNodeFormat}`;
    if (!parsed.has(key)) parsed.set(key, parse(file, how, ...rest));
    return parsed.get(key);
  };
  const program = ts.createProgram({ rootNames: fileNames, options, host });
  const ours = program.getSourceFiles().filter(({ fileName }) => !FOREIGN.test(fileName));
  return [
    ...inConfiguration,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...ours.flatMap((file) => program.getSemanticDiagnostics(file)),
  ];
}
