import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isTemporaryName } from "../../src/files/temporary_names.ts";
import { createWholeFile } from "../../src/files/whole_file.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

it("renames a file once it is complete, and leaves no temporary file", () => {
  const folder = freshFolder();
  const path = join(folder, "new");
  const built = createWholeFile(path, (temporary) => {
    writeFileSync(temporary, "content");
    expect(readdirSync(folder).map(isTemporaryName)).toEqual([true]);
    return 7;
  });
  expect(built).toBe(7);
  expect(readdirSync(folder)).toEqual(["new"]);
  expect(readFileSync(path, "utf8")).toBe("content");
});

it("keeps a file that another program created in the meantime", () => {
  const path = join(freshFolder(), "new");
  const built = createWholeFile(path, (temporary) => {
    writeFileSync(temporary, "ours");
    writeFileSync(path, "theirs");
    return 7;
  });
  expect(built).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe("theirs");
  expect(readdirSync(join(path, ".."))).toEqual(["new"]);
});

it("rethrows an error, and leaves no temporary file", () => {
  const folder = freshFolder();
  const failing = (temporary: string): never => {
    writeFileSync(temporary, "half");
    throw Object.assign(new Error("no more"), { code: "EEXIST" });
  };
  expect(() => createWholeFile(join(folder, "new"), failing)).toThrow("no more");
  expect(readdirSync(folder)).toEqual([]);
  mkdirSync(join(folder, "directory"));
  // A file without content cannot be given a name.
  expect(() => createWholeFile(join(folder, "new"), () => 7)).toThrow("ENOENT");
  expect(readdirSync(folder)).toEqual(["directory"]);
});
