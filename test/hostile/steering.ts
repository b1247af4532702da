/**
 * Characters that control a terminal: control characters except the line feed, changes of direction, unusual line ends.
 */
// oxlint-disable-next-line no-control-regex
export const STEERING: RegExp = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
