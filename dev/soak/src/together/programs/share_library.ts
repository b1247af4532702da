import { isPerduraError } from "@perdura/v16";
import { type Form, save, versionsIn } from "../common_libraries.ts";
import { say, untilTold } from "./say.ts";

/**
 * `share_library.ts FORM PATH AGENT`: saves version after version of its library into a shared file, and loads its
 * content. Prints `saved AGENT VERSION` once it is stored.
 */
const [form = "json", path = "", agent = ""] = process.argv.slice(2) as [Form, string, string];
const seen = new Map<string, number>();
let version = 0;

await untilTold(() => {
  look();
  version += 1;
  save(form, path, { agent, version });
  say("saved", `${agent} ${version}`);
  look();
});

function look(): void {
  try {
    const { versions, wrong } = versionsIn(form, path);
    for (const text of wrong) say("wrong", text);
    for (const { agent: other, version: found } of versions) {
      const before = seen.get(other) ?? 0;
      if (found < before) say("wrong", `version ${found} of ${other} followed version ${before}`);
      seen.set(other, Math.max(found, before));
    }
    if (form === "merge" && version > 0 && seen.get(agent) !== version)
      say("wrong", `${agent} saved version ${version} and sees ${seen.get(agent)}`);
    say("checked", 1);
  } catch (error) {
    // Before the first save there is no file.
    if (version > 0 || !isPerduraError(error, "PERDURA_FILE_NOT_FOUND")) throw error;
  }
}
