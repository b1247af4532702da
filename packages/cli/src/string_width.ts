import { createRequire } from "node:module";

type StringWidth = (text: string) => number;

let loaded: StringWidth | undefined;

/** Loads the package that knows the widths of all characters, at the first call. */
export function stringWidth(): StringWidth {
  return (loaded ??= (createRequire(import.meta.url)("string-width") as { default: StringWidth }).default);
}
