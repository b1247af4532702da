import manifest from "../package.json" with { type: "json" };

/** The version of this package. */
export const VERSION: string = manifest.version;

/** The program that made a document. */
export const PROGRAM: string = `perdura-inspect ${VERSION}`;
