import { fileURLToPath } from "node:url";
import type { Side, Timed } from "../run/measure.ts";
import { LineProcess } from "./line_process.ts";

/** One round of `original.py`: so many rows, or one question again and again for so long. */
export type PythonRound =
  | { do: "record"; rows: number }
  | { do: "user"; user: string; milliseconds: number }
  | { do: "global" | "users"; milliseconds: number };

/** The original's way of working in the language of the original; it measures itself. */
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
