import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { removeAfterFailure, removeAfterSuccess } from "../../src/files/remove_temporary.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

/** Collects the warnings of this process from now on. */
function warnings(): Error[] {
  const heard: Error[] = [];
  const hear = (warning: Error): void => void heard.push(warning);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  return heard;
}
const spoken = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it.each([removeAfterFailure, removeAfterSuccess])("%o removes a file, and ignores a missing one", async (remove) => {
  const heard = warnings();
  const path = join(freshFolder(), "file");
  writeFileSync(path, "");
  remove(path);
  expect(existsSync(path)).toBe(false);
  remove(path);
  await spoken();
  expect(heard).toEqual([]);
});

it("removeAfterFailure is silent if a file cannot be removed, and removeAfterSuccess warns", async () => {
  const heard = warnings();
  // A directory cannot be removed like a file.
  const path = join(freshFolder(), "directory");
  mkdirSync(path);
  removeAfterFailure(path);
  await spoken();
  expect(heard).toEqual([]);
  removeAfterSuccess(path);
  await spoken();
  expect(heard).toMatchObject([{ name: "PerduraWarning", code: "PERDURA_NOT_REMOVED" }]);
  expect(heard[0]?.message).toContain(`${path}: could not remove this temporary file (`);
  expect(existsSync(path)).toBe(true);
});
