import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Replacement, type ReplacementOptions } from "../../src/files/replacement.ts";
import { temporaryName } from "../../src/files/temporary_names.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { needs, ON_POSIX } from "../../../../test/needs.ts";

function replace(path: string, text: string, options?: ReplacementOptions): void {
  const replacement = new Replacement(path, options);
  replacement.write(text);
  replacement.finish();
}

test("removes temporary files of ended programs only with the option clean", () => {
  const folder = freshFolder();
  const gone = String(spawnSync(process.execPath, ["-e", ""]).pid);
  const name = temporaryName("file", "00ff00ff").replace(`-${process.pid}-`, `-${gone}-`);
  writeFileSync(join(folder, name), "half");
  replace(join(folder, "file"), "new");
  expect(readdirSync(folder).toSorted()).toEqual([name, "file"].toSorted());
  replace(join(folder, "file"), "newer", { clean: true });
  expect(readdirSync(folder)).toEqual(["file"]);
});

test("keeps symbolic links, and replaces their final target", ON_POSIX, () => {
  const folder = freshFolder();
  const [file, link, linkToLink, toNothing] = ["file", "link", "link to link", "to nothing"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  writeFileSync(file, "old");
  symlinkSync("file", link);
  symlinkSync("link", linkToLink);
  symlinkSync("new", toNothing);
  replace(linkToLink, "replaced");
  replace(toNothing, "made");
  expect([link, linkToLink, toNothing].map((path) => lstatSync(path).isSymbolicLink())).toEqual([true, true, true]);
  expect([readFileSync(file, "utf8"), readFileSync(join(folder, "new"), "utf8")]).toEqual(["replaced", "made"]);
});

const [OWNER, OTHER] = [65_533, 65_534];

describe("a file of another user", needs("root", process.geteuid?.() !== 0), () => {
  test("keeps its owner and mode when a superuser replaces it", () => {
    const path = join(freshFolder(), "file");
    writeFileSync(path, "old");
    chmodSync(path, 0o640);
    chownSync(path, OWNER, OTHER);
    replace(path, "new");
    const { uid, gid, mode } = statSync(path);
    expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: OWNER, gid: OTHER, mode: 0o640 });
  });

  test("can be replaced by a user who may write to it and its folder, and then belongs to that user", () => {
    const folder = freshFolder();
    const path = join(folder, "file");
    writeFileSync(path, "old");
    chmodSync(path, 0o666);
    chownSync(path, OWNER, OWNER);
    chmodSync(folder, 0o777);
    process.seteuid?.(OTHER);
    try {
      replace(path, "new");
    } finally {
      process.seteuid?.(0);
    }
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).uid).toBe(OTHER);
  });
});
