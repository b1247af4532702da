import { fileURLToPath } from "node:url";
import type { Side, Timed } from "../measure/measure.ts";
import { LineProcess } from "./line_process.ts";

/** One round of `original.py`: a number of rows, or one query that is repeated for some time. */
export type PythonRound =
  | { do: "record"; rows: number }
  | { do: "user"; user: string; milliseconds: number }
  | { do: "global" | "users"; milliseconds: number };

/** The original's way of working, in its own language; it measures its own time. */
export function originalInPython(path: string, round: PythonRound): Side {
  const python = new LineProcess("python3", [fileURLToPath(new URL("original.py", import.meta.url)), path]);
  return {
    name: "connection per call in Python",
    round: async () => {
      python.tell(JSON.stringify(round));
      return JSON.parse(await python.answer()) as Timed;
    },
    memory: () => python.peakMemory(),
    close: () => python.close(),
  };
}
