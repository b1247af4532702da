import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { MetricsCollector } from "@perdura/v16";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { hasTerminals, seenInTerminal } from "../../../test/in_terminal.ts";
import { needs } from "../../../test/needs.ts";
import { programWords } from "../../../test/programs.ts";
import { stampsOf } from "../../../test/tree_stamp.ts";
import { schemaErrors } from "./json_schema.ts";

const PROGRAM = programWords(new URL("../src/cli.ts", import.meta.url));

test("watch prints a line for each change until it is interrupted, also while another process writes", async () => {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  const metrics = new MetricsCollector(path);
  metrics.recordInteraction("alice", 1, true, 10);
  const child = spawn(process.execPath, [...PROGRAM, "watch", path, "--json", "--interval", "1"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [ended, stderr] = [once(child, "exit"), text(child.stderr)];
  const operations: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const document = JSON.parse(line) as { operations: number };
    expect(schemaErrors(document)).toEqual([]);
    operations.push(document.operations);
    if (operations.length === 1) metrics.recordInteraction("bob", 2, false, 20);
    if (operations.length === 2) child.kill("SIGINT");
  }
  expect(operations).toEqual([1, 2]);
  expect(await ended).toEqual([130, null]);
  expect(await stderr).toBe("perdura-inspect: Interrupted.\n");
  const files = [...stampsOf(folder).keys()];
  expect(files).toEqual(["metrics.db", "metrics.db-shm", "metrics.db-wal"]);
  metrics.close();
});

test("--quiet prints lines also in a terminal, which is not cleared", needs("terminal", !hasTerminals), async () => {
  const path = join(freshFolder(), "metrics.db");
  using metrics = new MetricsCollector(path);
  metrics.recordInteraction("alice", 1, true, 10);
  const typed = [{ after: /operation/, keys: "\u0003" }];
  const { code, bytes } = await seenInTerminal([process.execPath, ...PROGRAM, "watch", path, "--quiet"], {
    columns: 80,
    typed,
  });
  expect(code).toBe(130);
  expect(bytes).toMatch(/^[\dT:-]+Z  1 operation of 1 user, /);
});
