/** The lowest id that a row can have. */
export const LOWEST_ID = "-9223372036854775808";
