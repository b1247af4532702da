import { sqlText } from "../sql_text.ts";
import { type Token, tokensOf } from "./tokens.ts";

/**
 * Older builds of SQLite take a name in double quotes for text where nothing has that name. Newer ones may not: they say
 * which it is. Returns the statement with that text in single quotes, as SQLite itself would repair it.
 *
 * @param fault What SQLite said.
 * @param isColumn Whether some table or view has a column of that name.
 * @returns Undefined when the fault is another one, or when it cannot be told which of several places is meant.
 */
export function inSingleQuotes(sql: string, fault: string, isColumn: (name: string) => boolean): string | undefined {
  const literal = /no such column: "([\s\S]*)" - should this be a string literal in single-quotes\?$/.exec(fault)?.[1];
  if (literal === undefined) return undefined;
  const tokens = tokensOf(sql);
  const places = tokens.flatMap(({ kind, value }, index) =>
    kind === "double" && value === literal && !isSurelyName(tokens, index) ? [index] : [],
  );
  // SQLite speaks of one place; elsewhere the same name could mean a column.
  if (places.length === 0 || (places.length > 1 && isColumn(literal))) return undefined;
  return tokens.map(({ text }, index) => (places.includes(index) ? sqlText(literal) : text)).join("");
}

/** A part of a longer name, the name of a function, or the new name after AS. */
function isSurelyName(tokens: readonly Token[], index: number): boolean {
  const [before, after] = [next(tokens, index, -1), next(tokens, index, 1)];
  return before === "." || after === "." || after === "(" || before?.toLowerCase() === "as";
}

function next(tokens: readonly Token[], index: number, step: 1 | -1): string | undefined {
  for (let at = index + step; at >= 0 && at < tokens.length; at += step) {
    const { kind, text } = tokens[at] as Token;
    if (kind !== "comment" && text.trim() !== "") return text;
  }
  return undefined;
}
