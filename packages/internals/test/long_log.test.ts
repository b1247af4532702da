import { statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { InteractionLog } from "../src/metrics/interaction_log.ts";
import { newPath } from "./rollup/databases.ts";

/** About ten pages of the log per row. */
const METADATA = JSON.stringify({ text: "x".repeat(40_000) });

test.each([
  ["full", "may grow long, since its commits are durable", 1500, 5000],
  ["normal", "stays short, since a power failure may lose its commits", 1000, 1200],
] as const)("with durability %s, the log %s", (durability, _why, least, most) => {
  const path = newPath();
  const log = new InteractionLog(path, "level", { durability });
  onTestFinished(() => log.close());
  for (let row = 0; row < 200; row += 1)
    log.append({ userId: "u", level: 3, success: true, responseTimeMs: 1, metadata: METADATA });
  const pages = statSync(`${path}-wal`).size / 4120;
  expect(pages).toBeGreaterThan(least);
  expect(pages).toBeLessThan(most);
});
