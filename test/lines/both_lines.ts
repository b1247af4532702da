import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";

/** Both lines by name, for tests that apply to each. */
export const LINES = [
  { name: "v15", line: v15 },
  { name: "v16", line: v16 },
] as const;
