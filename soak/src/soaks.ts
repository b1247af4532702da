import { crash } from "./crash.ts";
import { databases } from "./databases.ts";
import { documents } from "./documents.ts";
import { errors } from "./errors.ts";
import { interrupt } from "./interrupt.ts";
import { longLife } from "./long_life.ts";
import type { Soak } from "./soak.ts";
import { together } from "./together.ts";

/** Every kind of trouble, in the order in which a run makes it. */
export const SOAKS: readonly Soak[] = [crash, errors, interrupt, together, documents, databases, longLife];
