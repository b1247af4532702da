import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { ask } from "@perdura/cli/ask.js";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { endOf, startCli } from "../support/program.ts";

test.each([["up"], ["up", "--json"]])("%s %s finishes if no process reads its output", async (...words) => {
  const folder = freshFolder();
  const paths = ["a.db", "b.db"].map((name) => join(folder, name));
  for (const path of paths) {
    makeDatabase(path, DOCUMENTED_15);
    addRows(path, "interactions", 20);
  }
  const child = startCli(...words.filter((word) => word !== undefined), ...paths);
  child.stdout?.destroy();
  child.stderr?.destroy();
  expect(await endOf(child)).toBe(0);
  for (const path of paths) expect(query(path, "SELECT count(level) FROM interactions")).toEqual([[20n]]);
});

describe("the question is answered by", () => {
  test.each([
    ["y", "y\n", "yes"],
    ["YES", " YES \n", "yes"],
    ["n", "n\n", "no"],
    ["Return", "\n", "no"],
    ["Ctrl-D", "\u0004", "no"],
    ["Ctrl-C", "\u0003", "interrupted"],
  ])("%s", async (_what, typed, answer) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const asked = ask("Run this plan now? ", { input, output, terminal: true });
    input.write(typed);
    expect(await asked).toBe(answer);
  });

  test("the end of the input", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const asked = ask("Run this plan now? ", { input, output, terminal: false });
    input.end();
    expect(await asked).toBe("no");
  });

  test("a signal to the process", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const interrupt = new AbortController();
    const asked = ask("Run this plan now? ", { input, output, terminal: true, signal: interrupt.signal });
    interrupt.abort();
    expect(await asked).toBe("interrupted");
  });
});
