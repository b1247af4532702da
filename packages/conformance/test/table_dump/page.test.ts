import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { violations } from "../../src/values/schemas.ts";
import { packageRoot } from "../../src/package_root.ts";
import { inconsistencies, type TableDump } from "../../src/table_dump/dump.ts";

const page = readFileSync(join(packageRoot(), "docs", "table-dump.md"), "utf8");

it("shows a valid dump", () => {
  const dump = JSON.parse(/```json\n([^`]*)```/.exec(page)?.[1] ?? "") as TableDump;
  expect(violations("table-dump", dump)).toEqual([]);
  expect(inconsistencies(dump)).toEqual([]);
});

it("shows valid messages", () => {
  const messages = [...page.matchAll(/^ *[<>] (\{.*)$/gm)].map(([, text]) => JSON.parse(text as string) as object);
  expect(messages).toHaveLength(2);
  expect(violations("protocol", messages[0], "request")).toEqual([]);
  expect(violations("protocol", messages[1], "answer_to_settle")).toEqual([]);
});

it("explains every class of type", () => {
  const schema = JSON.parse(readFileSync(join(packageRoot(), "schemas", "table-dump.schema.json"), "utf8")) as {
    $defs: { column: { properties: { type: { enum: string[] } } } };
  };
  for (const name of schema.$defs.column.properties.type.enum) expect(page).toContain(`\`${name}\``);
});
