import { type Step, planRelease } from "./plan.ts";
import type { Registry } from "./registry.ts";

/**
 * Publishes new versions, one after the other.
 *
 * @throws {Error} at the first failure; it lists what was published and what was not.
 */
export async function publishAll(steps: readonly Step[], registry: Registry, provenance: boolean): Promise<void> {
  const waiting = steps.filter((step) => step.state === "to publish");
  for (const [index, step] of waiting.entries()) {
    const { problem } = await registry.publish(step, provenance);
    if (problem !== undefined && !(await arrived(step, registry))) {
      const named = (some: readonly Step[]): string =>
        some.length === 0 ? "nothing" : some.map(({ name, version }) => `${name} ${version}`).join(", ");
      throw new Error(
        `${step.name} ${step.version} was not published: ${problem}\n` +
          `Published before that: ${named(waiting.slice(0, index))}. Not yet: ${named(waiting.slice(index))}. ` +
          "Run the release again to continue.",
      );
    }
    console.log(`${step.name} ${step.version}: published as ${step.tag}`);
  }
}

/** The answer may have been lost, or another process may have published the same version. */
async function arrived(step: Step, registry: Registry): Promise<boolean> {
  const [now] = await planRelease([step], registry);
  return now?.state === "published";
}
