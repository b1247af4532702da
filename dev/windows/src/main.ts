import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installNode, installPackages, packPackages } from "./install.ts";
import { commandChecks, programChecks, suiteChecks } from "./programs.ts";
import { readmeChecks } from "./readme.ts";
import { testChecks } from "./tests.ts";
import { runChecks } from "./run_checks.ts";
import { missingWine, Wine } from "./wine.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const HELP = `Run checks with Node.js for Windows, under wine.

  pnpm windows [GROUP …]

GROUP is README (the examples of the READMEs), library (programs that use both
lines), programs (the commands), suite (the conformance suite on both lines) or
tests (a part of the tests) [all]. Everything is installed into
node_modules/.cache/perdura/windows. Without wine, nothing is run; with the
variable REQUIRE_WINE=1 that is a failure. Exit code 0: no check failed.

  --help   print this help

Example: pnpm windows library programs
`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
if (values.help === true) process.stdout.write(HELP);
else process.exitCode = await checkWindows(positionals);

async function checkWindows(groups: readonly string[]): Promise<number> {
  const missing = missingWine();
  if (missing !== undefined) {
    console.log(`not run: ${missing}`);
    return process.env["REQUIRE_WINE"] === "1" ? 1 : 0;
  }
  const cache = join(root, "node_modules", ".cache", "perdura", "windows");
  const wine = new Wine(join(cache, "wine"), await installNode(root));
  try {
    const packed = await packPackages(root, join(cache, "packed"));
    await installPackages(wine.folder("perdura15"), packed, { perdura: "v15" });
    await installPackages(wine.folder("perdura16"), packed, {
      perdura: "v16",
      "perdura-15": "v15",
      "perdura-16": "v16",
      ...Object.fromEntries(["migrator", "inspect", "backup", "conformance"].map((name) => [`@perdura/${name}`, name])),
    });
    const all = [
      ...readmeChecks(wine),
      ...programChecks(wine),
      ...commandChecks(wine),
      ...suiteChecks(wine),
      ...testChecks(wine, root),
    ];
    return await runChecks(all, groups);
  } finally {
    wine.stop();
  }
}
