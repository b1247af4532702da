import { lstatSync } from "node:fs";

/** The first name that nothing has. A link counts, also one that leads nowhere: it is neither written through nor replaced. */
export function freeName(nameOf: (number: number) => string): string {
  let number = 1;
  while (lstatSync(nameOf(number), { throwIfNoEntry: false }) !== undefined) number += 1;
  return nameOf(number);
}
