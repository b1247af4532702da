import { SourceMap, type SourceMapPayload } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rolldown } from "tsdown";
import { expect, test } from "vitest";
import { asciiCode } from "../../dev/tools/ascii_code.ts";
import { freshFolder } from "../fresh_folder.ts";

const SOURCE =
  'export const shown = `👋 “…”` + "\\ufeff" + Date.now() + new Date();\nexport const plain = Date.now();\n';

test("code is ASCII, has the same values, and its source map states its own columns", async () => {
  const input = join(freshFolder(), "shown.js");
  writeFileSync(input, SOURCE);
  const bundle = await Rolldown.rolldown({ input, plugins: [asciiCode()] });
  const { output } = await bundle.generate({ sourcemap: true });
  const [{ code }, map] = output;
  expect(code).toMatch(/^[\0-\x7f]*$/);
  const { shown } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { shown: string };
  expect(shown.startsWith("👋 “…”\ufeff")).toBe(true);
  const { source } = map as Rolldown.OutputAsset;
  const places = new SourceMap(JSON.parse(String(source)) as SourceMapPayload);
  const placesOfNow = (text: string): { line: number; column: number }[] =>
    text.split("\n").flatMap((each, line) => (each.includes("now()") ? [{ line, column: each.indexOf("now()") }] : []));
  const found = placesOfNow(code).map(({ line, column }) => places.findEntry(line, column));
  expect(found).toMatchObject(
    placesOfNow(SOURCE).map(({ line, column }) => ({ originalLine: line, originalColumn: column })),
  );
});
