/** The API server cuts single warnings at 256 characters as soon as all together are too long; ours never are. */
const longestWarning = 250;
/** What the API server passes on of all warnings together: of 30 x 250 characters 17 arrived. */
const longestTotal = 4096;
/** Kept free for the line that says how many were left out. */
const roomForNotice = 40;

/**
 * The warnings in the form in which the API server passes all of them on: one line each, because one control character makes it drop the
 * whole warning without a word; each at most once; none over 250 characters, all together at most 4096. Where some have to be left out,
 * the last one says how many.
 */
export function presentableWarnings(warnings: readonly string[]): readonly string[] {
  const texts = [...new Set(warnings.map(presentable))].filter((text) => text !== '');
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    const last = kept.length === texts.length - 1;
    const next = total + lengthOf(text);
    if (next > longestTotal - (last ? 0 : roomForNotice)) break;
    kept.push(text);
    total = next;
  }
  const left = texts.length - kept.length;
  return left === 0 ? kept : [...kept, `and ${left} more ${left === 1 ? 'warning' : 'warnings'}`];
}

function presentable(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return lengthOf(line) <= longestWarning
    ? line
    : `${Array.from(line)
        .slice(0, longestWarning - 1)
        .join('')}…`;
}

/** In code points, as the API server counts. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
