import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

/** Reads a bundle of TypeDoc for the browser: `window.searchData = "…"`, deflated JSON in base64. */
export function readBundle(place: string, name: "search" | "navigation"): unknown {
  const [, packed = ""] = /"([^"]+)"/.exec(readFileSync(join(place, "assets", `${name}.js`), "utf8")) ?? [];
  return JSON.parse(inflateSync(Buffer.from(packed, "base64")).toString("utf8"));
}
