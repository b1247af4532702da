/** `full`: a returned write survives a power cut. `normal`: it survives a crash; a power cut may take the last ones. */
export type Durability = "full" | "normal";
