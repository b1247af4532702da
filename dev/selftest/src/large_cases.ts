import type { Case } from "../../../packages/conformance/src/corpus/case.ts";

/**
 * True for a case of thousands of items or characters, or of seconds of waiting. It takes longer than all others of its
 * area together, and the files that it writes have the form of those of the cases of a few items.
 */
export const isLarge = ({ id }: Pick<Case, "id">): boolean =>
  /\/(?:many|large|long|beyond-parameters|hundred-thousand)/.test(id);
