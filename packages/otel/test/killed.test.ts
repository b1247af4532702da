import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { MetricsCollector } from "@perdura/v16";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { programWords } from "../../../test/programs.ts";
import { rowsOf } from "./tracing.ts";

test("a killed process has stored every span of its finished writes, and each write whole or not at all", async () => {
  const path = join(freshFolder(), "metrics.db");
  const words = [...programWords(new URL("programs/record_spans.ts", import.meta.url)), path];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let stored = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    stored = Number(line);
    if (stored >= 500) child.kill("SIGKILL");
  }
  await ended;
  using metrics = new MetricsCollector(path);
  const rows = await rowsOf(metrics);
  expect(rows.length).toBeGreaterThanOrEqual(stored);
  expect(rows.length % 100).toBe(0);
  for (const { metadata } of rows) expect(metadata).toEqual({ operation: "execute_tool", tool: "search" });
});
