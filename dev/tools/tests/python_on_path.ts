import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Contains only a link to the interpreter: the interpreter's own folder would also give other programs precedence. */
const FOLDER = fileURLToPath(new URL("../../../node_modules/.cache/perdura/path", import.meta.url));

/**
 * Returns the PATH for tests, on which `python3` is the interpreter itself. A version manager replaces it by a script
 * that takes ten times as long to start.
 */
export function pathWithPython(): string {
  const path = process.env["PATH"] ?? "";
  if (process.platform === "win32") return path;
  const { stdout, status } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  const interpreter = (stdout ?? "").trim();
  if (status !== 0 || path.split(delimiter).some((folder) => join(folder, "python3") === interpreter)) return path;
  mkdirSync(FOLDER, { recursive: true });
  // By renaming: another run may do the same at this moment.
  const link = join(FOLDER, `python3-${process.pid}`);
  symlinkSync(interpreter, link);
  renameSync(link, join(FOLDER, "python3"));
  return [FOLDER, path].join(delimiter);
}
