import { Stop } from "../stop.ts";

const LITERAL = /^(?:NULL|-?[\d.e+-]+|X?'(?:[^']|'')*'|CAST\(X'[\dA-F]*' AS TEXT\))$/i;

/** @throws Stop unless these are literals, as a record of a migration has values: they become part of a statement. */
export function assertLiterals(values: readonly string[]): void {
  if (!values.every((value) => LITERAL.test(value)))
    throw new Stop("refused", "The record of the migration was changed, so that it cannot be undone by it.");
}
