import { isPerduraError } from "@perdura/v16";
import { type Format, save, versionsIn } from "../common_libraries.ts";
import { say, untilSignal } from "./say.ts";

/**
 * `share_library.ts FORM PATH AGENT`: saves version after version of its library into a shared file, and loads its
 * content. Prints `saved AGENT VERSION` once it is stored.
 */
const [format = "json", path = "", agent = ""] = process.argv.slice(2) as [Format, string, string];
const seen = new Map<string, number>();
let version = 0;

await untilSignal(() => {
  look();
  version += 1;
  save(format, path, { agent, version });
  say("saved", `${agent} ${version}`);
  look();
});

function look(): void {
  try {
    const { versions, wrong } = versionsIn(format, path);
    for (const text of wrong) say("wrong", text);
    for (const { agent: other, version: found } of versions) {
      const before = seen.get(other) ?? 0;
      if (found < before) say("wrong", `version ${found} of ${other} followed version ${before}`);
      seen.set(other, Math.max(found, before));
    }
    if (format === "merge" && version > 0 && seen.get(agent) !== version)
      say("wrong", `${agent} saved version ${version} and sees ${seen.get(agent)}`);
    say("checked", 1);
  } catch (error) {
    // Before the first save there is no file.
    if (version > 0 || !isPerduraError(error, "PERDURA_FILE_NOT_FOUND")) throw error;
  }
}
