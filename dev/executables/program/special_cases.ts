import { getAsset } from "node:sea";
import { fileURLToPath } from "node:url";
import { exitCodeOf, print } from "@perdura/cli/program_end.js";

/**
 * The programs of the helper processes. A helper is started by `fork()` with the path of its file, next to the running
 * code. In an executable that file does not exist, and `fork()` starts the executable itself with this path.
 */
const HELPERS: Readonly<Record<string, () => Promise<unknown>>> = {
  check_work: () => import("../../../packages/migrator/src/io/child/check_work.ts"),
  file_work: () => import("../../../packages/migrator/src/io/child/file_work.ts"),
};

/**
 * Handles the two ways to start an executable that its program does not know: as a helper process, and with
 * `--licenses`, which prints the licences of all code inside.
 *
 * @returns True if the start was handled.
 */
export async function runSpecialCase(name: string): Promise<boolean> {
  const [, , first, ...others] = process.argv;
  // Only `fork()` opens a channel, so that no argument of a user is mistaken for the path of a helper.
  if (process.send !== undefined) {
    const found = Object.keys(HELPERS).find(
      (helper) => fileURLToPath(new URL(`${helper}.js`, import.meta.url)) === first,
    );
    await (found === undefined ? undefined : HELPERS[found]?.());
    return found !== undefined;
  }
  if (first !== "--licenses" || others.length > 0) return false;
  process.exitCode = await exitCodeOf(name, () => Promise.resolve(print(getAsset("licenses", "utf8").trimEnd())));
  return true;
}
