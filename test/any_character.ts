import fc from "fast-check";

/**
 * Any character of Unicode, one code point each, for `fc.string({ unit })`. It takes no time to make: `unit: "binary"` of
 * fast-check itself takes more than a second in each process.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff - 0x8_00 })
  // Surrogates are not characters.
  .map((number) => String.fromCodePoint(number < 0xd8_00 ? number : number + 0x8_00));
