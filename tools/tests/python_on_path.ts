import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/perdura/", import.meta.url));

/**
 * The PATH for tests: `python3` is the interpreter itself there. Version managers put a script in its place, which takes
 * ten times as long as what it starts. Where that is so, a folder with a link comes first, which is removed when this
 * process ends; the interpreter's own folder would bring other programs to the front as well.
 */
export function pathWithPython(): string {
  const path = process.env["PATH"] ?? "";
  if (process.platform === "win32") return path;
  const { stdout, status } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  const interpreter = (stdout ?? "").trim();
  if (status !== 0 || path.split(delimiter).some((folder) => join(folder, "python3") === interpreter)) return path;
  const folder = join(CACHE, `path-${process.pid}`);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(interpreter, join(folder, "python3"));
  return [folder, path].join(delimiter);
}
