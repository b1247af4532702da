import { rmSync, statSync } from "node:fs";
import { MetricsCollector } from "@perdura/v16";
import { dataFile } from "../data/interactions.ts";
import type { Engine } from "./engine.ts";

export const SQLITE: Engine = {
  name: "SQLite",
  fill: async (directory, rows, users) => {
    const path = dataFile(directory, { layout: "perdura", rows, users });
    const collector = new MetricsCollector(path);
    return {
      collector,
      bytes: statSync(path).size,
      sumsMs: null,
      close: async () => {
        collector.close();
        rmSync(path);
      },
    };
  },
};
