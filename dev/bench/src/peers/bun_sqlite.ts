import { fileURLToPath } from "node:url";
import type { Side, Timed } from "../measure/measure.ts";
import { INSERT, SCHEMA } from "./bare_driver.ts";
import { LineProcess } from "./line_process.ts";

/** The driver of Bun, in a process of Bun, which measures its own time. */
export function bunSqlite(path: string, synchronous: "FULL" | "NORMAL", rows: number): Side {
  const script = fileURLToPath(new URL("bun_sqlite.js", import.meta.url));
  const bun = new LineProcess("bun", [script, path, synchronous, SCHEMA, INSERT]);
  return {
    name: "bun:sqlite",
    round: async () => {
      bun.tell(String(rows));
      return JSON.parse(await bun.answer()) as Timed;
    },
    memory: () => bun.peakMemory(),
    close: () => bun.close(),
  };
}
