import { fileURLToPath } from "node:url";
import { ERROR_CODES } from "@perdura/internals/errors/codes.js";
import { table } from "./pages/markdown_table.ts";
import { withParts } from "./pages/marked_parts.ts";

const PAGE = fileURLToPath(new URL("../../docs/errors.md", import.meta.url));

/** The page of error codes, with a row for each code of the sources. */
export function errorCodesPage(): [file: string, text: string] {
  const rows = Object.entries(ERROR_CODES).map(([code, { name, meaning }]) => [code, name, meaning]);
  return [PAGE, withParts(PAGE, { codes: table(["code", "name", "meaning"], rows) })];
}
