import type { CustomTypesConfig } from "pg";

/** Type numbers of PostgreSQL's catalogue. */
const BOOLEAN = 16;
const NUMBERS = new Set([20, 21, 23, 700, 701]);

/**
 * Converts values alike whatever the application has configured for the driver: numbers (integers up to 2^53),
 * booleans, and text for all other types. JSON is not parsed, and timestamps are not converted to the local time zone.
 */
export const rawTypes: CustomTypesConfig = {
  getTypeParser: (type: number) => {
    if (NUMBERS.has(type)) return Number;
    if (type === BOOLEAN) return (text: string) => text === "t";
    return (text: string) => text;
  },
};
