import { expect, test } from "vitest";
import { messageOf } from "../src/argument_names.ts";
import { SAMPLE } from "./sample_program.ts";

const { table } = SAMPLE;
const TABLE: typeof table = {
  ...table,
  commands: {
    ...table.commands,
    copy: { ...table.commands.copy, words: [{ name: "PLACE", meaning: "a place", arguments: ["place", "store"] }] },
  },
  options: { ...table.options, tag: { ...table.options.tag, arguments: ["tagOfThing"] } },
};

const about = (argument: string | undefined, command: "copy" | "show" = "copy"): string =>
  messageOf({ message: `${argument}: wrong.`, argument, reason: "wrong." }, TABLE, command);

test("a message names an argument of the library by its option or word", () => {
  expect(about("force")).toBe("--force: wrong.");
  expect(about("tagOfThing")).toBe("--tag: wrong.");
  expect([about("place"), about("store")]).toEqual(["PLACE: wrong.", "PLACE: wrong."]);
});

test("a long option matches the library's argument in camelCase", () => {
  const options = { ...table.options, way: { ...table.options.way, arguments: ["other"] } };
  const renamed = { ...TABLE, options: { ...options, "keep-last-two": table.options.force } };
  const error = { message: "keepLastTwo: wrong.", argument: "keepLastTwo", reason: "wrong." };
  expect(messageOf(error, renamed, "copy")).toBe("--keep-last-two: wrong.");
});

test("an argument that the command does not have keeps the name of the library", () => {
  expect(about("tag")).toBe("tag: wrong.");
  expect(about("force", "show")).toBe("force: wrong.");
  expect(about("place", "show")).toBe("place: wrong.");
  const force = { message: "force: wrong.", argument: "force", reason: "wrong." };
  expect(messageOf(force, TABLE, undefined)).toBe("force: wrong.");
  expect(about("toString")).toBe("toString: wrong.");
  expect(about(undefined)).toBe("undefined: wrong.");
  expect(messageOf({ message: "force: wrong.", argument: "force" }, TABLE, "copy")).toBe("force: wrong.");
});
