/**
 * Publishes new versions: packs every package, checks those that the registry does not have, publishes each under its
 * tag, and tags the commit. A second run continues after an interruption, or has nothing to do. `pnpm run release`
 * builds first.
 */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { tagReleases } from "./release/git_tags.ts";
import { packAll } from "./release/pack.ts";
import { planRelease, tagFaults } from "./release/plan.ts";
import { publishAll } from "./release/publish_all.ts";
import { obstacles } from "./release/readiness.ts";
import { Registry } from "./release/registry.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const USAGE = `usage: pnpm run release [--dry-run] [--provenance] [--registry ADDRESS]

  --dry-run     pack, check and list what would be published; change nothing
  --provenance  publish with an attestation of the workflow that built it
                (GitHub Actions with id-token: write)
  --registry    use this registry [the one in the settings of npm and pnpm]`;

const SAID = {
  "to publish": "to publish",
  published: "is published",
  other: "was already published with other content; add a changeset for the next version",
};

const root = fileURLToPath(new URL("../../", import.meta.url));
const workshop = temporaryFolder();
try {
  await release();
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

async function release(): Promise<void> {
  const { values } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      provenance: { type: "boolean", default: false },
      registry: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const dry = values["dry-run"];
  const against = await obstacles(root);
  if (against.length > 0 && !dry) throw new Error(`nothing was published.\n${against.join("\n")}`);

  const registry = new Registry(root, values.registry);
  const steps = await planRelease(await packAll(root, workshop), registry);
  for (const { name, version, tag, state, bytes } of steps)
    console.log(`${name} ${version} (${(bytes / 1000).toFixed(1)} kB) → ${tag}: ${SAID[state]}`);
  // Published packages were checked before.
  const waiting = steps.filter(({ state }) => state === "to publish");
  if (waiting.length > 0) {
    // It loads the whole TypeScript compiler.
    const { packageFaults } = await import("./release/check_packed.ts");
    const faults = await packageFaults(waiting);
    if (faults.length > 0) throw new Error(`nothing was published.\n${faults.join("\n")}`);
  }
  if (dry) {
    for (const obstacle of against) console.log(`This prevents a release: ${obstacle}`);
    console.log("Nothing was published or tagged.");
    return;
  }
  await publishAll(steps, registry, values.provenance);
  const wrong = await tagFaults(steps, registry);
  const tags = await tagReleases(root, steps);
  if (tags.length > 0) console.log(`Tagged: git push origin ${tags.join(" ")}`);
  if (wrong.length > 0) throw new Error(`everything is published, but\n${wrong.join("\n")}`);
  console.log("Everything is published.");
}
