import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { removeWithMounts } from "../src/run/remove_with_mounts.ts";

it("removes what a test has mounted that was killed, one mount in another and odd names too", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "perdura-mounted-"));
  onTestFinished(() => removeWithMounts(folder));
  const [outer, beside] = [join(folder, "a disk\\é"), `${folder}-stays`];
  const inner = join(outer, "inner");
  for (const place of [outer, inner]) {
    mkdirSync(place);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "perdura", place]).status !== 0)
      return context.skip("no right to mount a file system");
    writeFileSync(join(place, "file"), "x");
  }
  mkdirSync(beside);
  onTestFinished(() => removeWithMounts(beside));
  removeWithMounts(folder);
  expect([existsSync(folder), existsSync(beside)]).toEqual([false, true]);
});

it.skipIf(!canSetAttributes())("removes what a test made immutable that was killed", () => {
  const folder = mkdtempSync(join(tmpdir(), "perdura-attributes-"));
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "inner", "file"), "");
  symlinkSync("nowhere", join(folder, "inner", "link"));
  expect(spawnSync("chattr", ["+i", join(folder, "inner", "file")]).status).toBe(0);
  expect(() => rmSync(folder, { recursive: true })).toThrow();
  removeWithMounts(folder);
  expect(existsSync(folder)).toBe(false);
});

/** The superuser may, where the file system has attributes. */
function canSetAttributes(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "perdura-attributes-"));
  const can = ["+i", "-i"].every((change) => spawnSync("chattr", [change, folder]).status === 0);
  rmSync(folder, { recursive: true });
  return can;
}
