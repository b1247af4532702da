/**
 * `full`: a finished write survives a power cut. `normal`: it survives a crash of the process, but a power cut may lose
 * the last writes.
 */
export type Durability = "full" | "normal";
