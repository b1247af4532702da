import fc from "fast-check";

// What fast-check makes up is the same in each run, so that a test is red because of a change, and red again when it is
// repeated. The nightly run looks for new values.
const seed = process.env["PERDURA_SEED"] ?? "1";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
