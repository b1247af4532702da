import type { Mutant } from "./mutants/mutations.ts";

/** The version of a line: `15` of `perdura-15`. */
export const lineOf = (implementation: string): string => implementation.replace("perdura-", "");

/** A name in the form of an id: `writes-digits-as-a-number`. */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** `15/writes-digits-as-a-number`. */
export const mutantId = ({ line, name }: Mutant): string => `${lineOf(line)}/${slugOf(name)}`;
