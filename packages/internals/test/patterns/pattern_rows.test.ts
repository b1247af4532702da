import { expect, it } from "vitest";
import { PatternLibrary } from "../../src/patterns/library.ts";
import { hasOrdinaryRow, ordinaryRow, patternRow } from "../../src/patterns/sqlite_rows.ts";

const pattern = (fields: object) =>
  new PatternLibrary().contribute("agent", { id: "p", pattern_type: "t", name: "n", ...fields });

it.each(["pattern_type", "name", "description", "code"])(
  "refuses a value of %s that the store cannot hold",
  (field) => {
    const withNul = pattern({ [field]: "a\0b" });
    expect(patternRow(withNul, "place")).toEqual(ordinaryRow(withNul));
    const refuse = (): unknown => patternRow(withNul, "place", { name: "This store", takesNul: false });
    expect(refuse).toThrow(
      `pattern "p": ${field} contains a NUL character, which This store cannot store; JSON can. Nothing was written to place.`,
    );
    expect(refuse).toThrow(expect.objectContaining({ path: "place", pointer: `/${field}` }));
    const halved = pattern({ [field]: "a\ud800" });
    expect(hasOrdinaryRow(halved)).toBe(false);
    expect(() => patternRow(halved, "place")).toThrow(`${field} contains a lone surrogate, which SQLite cannot store`);
    expect(patternRow(pattern({ [field]: "ab" }), "place", { name: "This store", takesNul: false })).toContain("ab");
  },
);

it("names the pattern whose context is not JSON", () => {
  const invalid = pattern({ context: {} });
  invalid.context = { a: () => 1 } as never;
  expect(() => patternRow(invalid, "place")).toThrow(/^pattern "p": context/);
});
