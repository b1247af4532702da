import type { CustomTypesConfig } from "pg";

/** Numbers in PostgreSQL's catalogue of types. */
const BOOLEAN = 16;
const NUMBERS = new Set([20, 21, 23, 700, 701]);

/**
 * Reads values the same way whatever the application has set for the driver: numbers (integers up to 2^53), booleans, and
 * everything else as the text that it is: JSON is not parsed here, and timestamps are not moved to the local zone.
 */
export const rawTypes: CustomTypesConfig = {
  getTypeParser: (type: number) => {
    if (NUMBERS.has(type)) return Number;
    if (type === BOOLEAN) return (text: string) => text === "t";
    return (text: string) => text;
  },
};
