import type { Case, Step } from "../corpus/case.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { fillIn } from "../matching/fill_in.ts";
import { inRange } from "../runner/version_range.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { neededCapabilities } from "../runner/selection.ts";

/** A case that stands on its own: one version, its requirements in words, no names of data left. */
export interface FlatCase {
  id: string;
  title: string;
  level: string;
  requirements: { id: string; section: string; statement: string }[];
  capabilities: string[];
  /** Rulings that the steps rest on without looking at them. */
  assumes: string[];
  steps: JsonObject[];
}

/**
 * Flattens one case for one version: steps of other versions are left out, `$data` and `$repeat` are put in place.
 * `$path` (below the case's directory), `$var` and the matchers stay, because only a run can resolve them.
 * @param put turns a hand-over step into one that names a file of the export.
 */
export function flatten(
  loaded: LoadedCase,
  version: string,
  shared: Record<string, JsonValue>,
  put: (step: Extract<Step, { put: string }>, index: number) => JsonObject,
): FlatCase {
  const tested: Case = loaded.case;
  const data = { ...shared, ...tested.data };
  const steps = tested.steps
    .filter((step) => step.versions === undefined || inRange(version, step.versions))
    .map((step, index) => {
      const { versions: _, ...rest } = "put" in step ? { ...put(step, index), versions: "" } : step;
      return fillIn(rest as unknown as JsonValue, data) as JsonObject;
    });
  return {
    id: tested.id,
    title: tested.title,
    level: loaded.level,
    requirements: loaded.requirements.map(({ id, section, statement }) => ({ id, section, statement })),
    capabilities: neededCapabilities(loaded, version),
    assumes: tested.assumes ?? [],
    steps,
  };
}
