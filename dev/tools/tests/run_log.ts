import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The output of the last run of `npm test` or `pnpm test:changed`. */
export const LOG_FILE: string = fileURLToPath(
  new URL("../../../node_modules/.cache/perdura/test.log", import.meta.url),
);

/** Writes to the terminal and, without colours, to a file: a failure that happened once can be read later. */
export class RunLog {
  constructor() {
    mkdirSync(dirname(LOG_FILE), { recursive: true });
    writeFileSync(LOG_FILE, "");
  }

  write(text: string | Uint8Array): void {
    process.stdout.write(text);
    appendFileSync(LOG_FILE, stripVTControlCharacters(typeof text === "string" ? text : Buffer.from(text).toString()));
  }

  line(text: string): void {
    this.write(`${text}\n`);
  }
}
