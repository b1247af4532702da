/** The bytes that give JSON text its structure (RFC 8259, section 2). */
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const QUOTE = 0x22;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Blank, tab and line ends, which are allowed between any two tokens. */
export const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
