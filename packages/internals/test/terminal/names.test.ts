import { expect, test } from "vitest";
import { nameOf } from "../../src/terminal/names.ts";

test("the directory that one is in is called ./", () => {
  expect([nameOf(`${process.cwd()}/`), nameOf(process.cwd()), nameOf(`${process.cwd()}/a/`)]).toEqual([
    "./",
    process.cwd(),
    "a/",
  ]);
});
