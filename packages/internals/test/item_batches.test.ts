import { expect, test } from "vitest";
import { ByteWindow } from "../src/json/byte_window.ts";
import { parseJson } from "../src/json/parse.ts";
import { readDocument } from "../src/json/read_document.ts";

const many = (count: number, item: string, between = ","): string => Array(count).fill(item).join(between);
const NESTED = '{"a":[{"a":1},{"a":2}]}';

/** Number of items per batch for a document that is read in pieces of this size, with all items. */
function taken(items: string, piece: number): { counts: number[]; all: unknown[] } {
  const bytes = Buffer.from(`{"items":[${items}]}`);
  const [counts, all]: [number[], unknown[]] = [[], []];
  readDocument(new ByteWindow((place, position) => bytes.copy(place, 0, position), piece), {
    itemsOf: "items",
    beginItems: () => {},
    items: (values) => {
      counts.push(values.length);
      all.push(...values);
    },
    member: () => expect.unreachable(),
    other: () => expect.unreachable(),
  });
  return { counts, all };
}

test.each<[what: string, items: string, piece: number, counts: number[]]>([
  // The last item of a piece is read alone, or begins the next batch: only the following bytes show where it ends.
  ["a document in one chunk", many(40, '{"a":1}'), 4096, [39, 1]],
  ["a document in chunks", many(40, '{"a":1}'), 64, [6, 7, 7, 7, 7, 5, 1]],
  ["chunks hardly larger than an item", many(6, '{"a":1}'), 17, [1, 1, 1, 1, 1, 1]],
  [
    "white space around items and inside their brackets",
    many(40, '{ \n\t\r"a": 1 }', " ,\n\r\t "),
    96,
    [4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 1],
  ],
  ["a first name that is not ASCII", many(4, '{"é":1}'), 4096, [3, 1]],
  ["a long first name", many(4, `{"${"n".repeat(90)}":1}`), 4096, [3, 1]],
  // The first guess cuts an item in two, and the remaining items of that piece are read one by one.
  ["items within items", `${many(2, NESTED)},${many(10, '{"a":1}')}`, 60, [1, 1, 1, 5, 3, 1]],
  [
    "items that begin differently from the first",
    `${many(9, '{"a":1}')},${many(4, '{"b":1}')}`,
    4096,
    [8, 1, 1, 1, 1, 1],
  ],
])("parses several items at once: %s", (_what, items, piece, counts) => {
  const { counts: found, all } = taken(items, piece);
  expect(found).toEqual(counts);
  expect(all).toEqual(JSON.parse(`[${items}]`));
});

test.each([
  ["numbers", "12345"],
  ["texts", '"{\\"a\\":"'],
  ["arrays", '["a",{"a":1}]'],
  ["objects without a name", "{}"],
  ["objects whose first name is written with an escape", '{"\\u0061":1}'],
  ["objects whose first name is too long", `{"${"n".repeat(120)}":1}`],
])("parses %s one at a time", (_what, item) => {
  const { counts, all } = taken(many(5, item), 4096);
  expect(counts).toEqual([1, 1, 1, 1, 1]);
  expect(all).toEqual(JSON.parse(`[${many(5, item)}]`));
});

test("leaves items that need the strict reader to it, with the items around them", () => {
  for (const unusual of ['{"a":12345678901234567890}', '{"a":1,"\\u0061":2}']) {
    const items = `${many(2, '{"a":1}')},${unusual},${many(2, '{"a":1}')}`;
    const { counts, all } = taken(items, 4096);
    expect(counts).toEqual([1, 1, 1, 1, 1]);
    expect(all).toEqual(parseJson(`[${items}]`));
  }
});
