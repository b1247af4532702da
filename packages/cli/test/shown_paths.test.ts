import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { shownPath, shownText } from "../src/shown_paths.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

let here: string;

// Child processes run in a directory; threads, in which tests may run, get its path.
beforeEach(() => {
  here = join(freshFolder(), "here");
  mkdirSync(here);
  vi.spyOn(process, "cwd").mockReturnValue(here);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("the current directory is shown as ./", () => {
  expect([shownPath(`${here}/`), shownPath(here), shownPath(`${here}/a/`)]).toEqual(["./", here, "a/"]);
});

test("shows the shorter of the absolute and the relative path", () => {
  expect([shownPath(`${here}/a/b.db`), shownPath("/x.db"), shownPath(join(dirname(here), "b.db"))]).toEqual([
    "a/b.db",
    "/x.db",
    "../b.db",
  ]);
  // As long as the absolute path.
  expect(shownPath("b.db")).toBe("b.db");
});

test("shows an address unchanged", () => {
  for (const address of ["postgres://u@h/d", "s3://bucket/a//", "S3+x.y-z1://b"])
    expect(shownPath(address)).toBe(address);
  expect(shownPath(`${here}/s3://b`)).toBe("s3:/b");
  expect(shownPath(`${here}/1a://b`)).toBe("1a:/b");
});

test("escapes control characters in names and sentences", () => {
  expect(shownPath(`${here}/a\u001b[2J`)).toBe("a\\u001b[2J");
  expect(shownPath("s3://b/\u0007")).toBe("s3://b/\\u0007");
  expect(shownText(`${here}/a\u001b: no`)).toBe("a\\u001b: no");
});

test("shortens paths in the current directory within sentences, also after quotes and brackets, and no others", () => {
  expect(shownText(`"${here}/a" (${here}/b) '${here}/c' ${here}/d ${here}/`)).toBe(`"a" (b) 'c' d `);
  expect(shownText(`${here}/a and /other${here}/b and ${here}x/c`)).toBe(`a and /other${here}/b and ${here}x/c`);
  expect(shownText("nothing of it")).toBe("nothing of it");
});

test("does not shorten paths if the current directory is /", () => {
  vi.spyOn(process, "cwd").mockReturnValue("/");
  expect(shownText("/a/b: no\u0007")).toBe("/a/b: no\\u0007");
  expect(shownText("a (//server/share) at postgres://h/d")).toBe("a (//server/share) at postgres://h/d");
});
