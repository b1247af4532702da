import { LEFT_OPEN } from "../left_open.ts";

/** What the conformance suite does not judge, with the reasons. */
export function leftOpenList(): string {
  return LEFT_OPEN.map(({ files, why }) => `- ${files.map((file) => `\`${file}\``).join(", ")}: ${why}`).join("\n");
}
