import fc from "fast-check";
import { lexer, type Token, type Tokens } from "marked";
import { describe, expect, it } from "vitest";
import { markdownData, markdownTable, markdownText } from "../../src/report/markdown.ts";
import { escapeControls } from "../../src/values/escape.ts";
import { ANY_CHARACTER } from "../../../../test/any_character.ts";

/** Text that consists of Markdown's special characters and their escapes. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\\",
        "|",
        "`",
        "``",
        "<b>",
        "<img src=x>",
        "</td>",
        "&lt;",
        "&",
        "*a*",
        "__a__",
        "~~a~~",
        "[a](b)",
      ),
      fc.constantFrom("![a](b)", "https://x.invalid", "www.x.invalid", "<!--", "\n", "\u001b[31m", "_", "#", "a", " "),
      fc.string({ unit: ANY_CHARACTER, maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(""));

/** Parses a cell with a neighbour on each side as Markdown. */
function readCell(cell: string): { cells: number; kinds: Set<string>; text: string } {
  const [table] = lexer(markdownTable(["a", "b", "c"], [["first", cell, "last"]]));
  const row = (table as Tokens.Table).rows[0] as Tokens.TableCell[];
  const parts = (row[1]?.tokens ?? []).flatMap(flat);
  return {
    cells: row.filter(({ text }) => text !== "").length,
    kinds: new Set(parts.map(({ type }) => type)),
    text: parts.map((part) => ("text" in part ? String(part.text) : part.raw)).join(""),
  };
}

function flat(token: Token): Token[] {
  return "tokens" in token && token.tokens && token.type === "text" ? token.tokens.flatMap(flat) : [token];
}

describe.each([
  ["text", markdownText, ["text", "escape"]],
  ["data", markdownData, ["text", "escape", "codespan"]],
])("%s in a cell of a table", (_name, written, allowed) => {
  it("is read as exactly the same text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = escapeControls(text).trim();
        fc.pre(shown !== "");
        const { cells, kinds, text: read } = readCell(written(text));
        expect({ cells, kinds: [...kinds].filter((kind) => !allowed.includes(kind)), read: read.trim() }).toEqual({
          cells: 3,
          kinds: [],
          read: shown,
        });
      }),
      { numRuns: 2000 },
    );
  });
});
