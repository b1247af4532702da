import { posix } from "node:path";
import { type Suite, SUITES } from "../results/file_result.ts";
import { notTried } from "../results/coverage.ts";

/** The list of what was not tried, whole folders by their names. */
export function notTriedList(root: string, sources: ReadonlyMap<string, readonly string[]>): string {
  const missing = new Set(notTried(root, sources));
  if (missing.size === 0) return "Everything was tried.";
  return SUITES.map((suite) => `- ${suite}: ${names(suite, missing, sources).join(", ") || "nothing"}`).join("\n");
}

function names(suite: Suite, missing: ReadonlySet<string>, sources: ReadonlyMap<string, readonly string[]>): string[] {
  return [...sources].flatMap(([folder, files]) => {
    const absent = files.filter((file) => missing.has(`${suite}: ${file}`));
    if (absent.length === 0) return [];
    if (absent.length === files.length) return [`\`${folder}\``];
    return absent.map((file) => `\`${posix.join(folder, posix.basename(file))}\``);
  });
}
