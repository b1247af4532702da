import { markupText } from "../values/escape.ts";

/**
 * A badge as a self-contained SVG image.
 *
 * @param colour Background of the message, such as `#2c7a3f`.
 */
export function drawBadge(label: string, message: string, colour: string): string {
  const [shownLabel, shownMessage] = [markupText(label), markupText(message)];
  const [left, right] = [widthOf(label), widthOf(message)];
  const [labelBox, messageBox] = [left + 14, right + 14];
  const whole = labelBox + messageBox;
  const text = (middle: number, width: number, words: string): string =>
    `<text x="${middle}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="20" role="img" aria-label="${shownLabel}: ${shownMessage}">
  <title>${shownLabel}: ${shownMessage}</title>
  <path fill="#40464f" d="M${labelBox} 0H3A3 3 0 0 0 0 3V17A3 3 0 0 0 3 20H${labelBox}Z"/>
  <path fill="${colour}" d="M${labelBox} 0H${whole - 3}A3 3 0 0 1 ${whole} 3V17A3 3 0 0 1 ${whole - 3} 20H${labelBox}Z"/>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="11">
    ${text(labelBox / 2, left, shownLabel)}
    ${text(labelBox + messageBox / 2, right, shownMessage)}
  </g>
</svg>
`;
}

/** Width in pixels at 11 px. An estimate is enough: `textLength` fits the text to its box. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width += /[ijl.,:;|!'()/ ]/.test(character) ? 4.2 : /[mwMW]/.test(character) ? 10.4 : 6.8;
  return Math.ceil(width);
}
