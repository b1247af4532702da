import { crash } from "./crash.ts";
import { databases } from "./databases.ts";
import { documents } from "./documents.ts";
import { errors } from "./errors.ts";
import { fullDisk } from "./full_disk.ts";
import { interrupt } from "./interrupt.ts";
import { longLife } from "./long_life.ts";
import { powerCut } from "./power_cut.ts";
import type { Soak } from "./soak.ts";
import { together } from "./together.ts";

/** All soaks, in the order in which a run performs them. */
export const SOAKS: readonly Soak[] = [
  crash,
  powerCut,
  errors,
  interrupt,
  fullDisk,
  together,
  documents,
  databases,
  longLife,
];
