import type { StyledLine } from './styled.ts';
import { span, wrap } from './styled.ts';
import type { DatabaseInView } from './view-state.ts';

/** The databases, one below the other, in at most so many lines: each with who waits for what, who asks, and then with what was done last. */
export function databaseLines(databases: readonly DatabaseInView[], columns: number, most: number): StyledLine[] {
  const sections = databases.map((database) => ({
    head: [span(database.name, 'strong'), span(`  ${database.says}`, 'faint')],
    waits: [
      ...database.waits.map((text) => paragraph('waits', text, columns)),
      ...database.asks.map((text) => paragraph('asks', text, columns)),
    ],
    done: database.done.slice(0, mostDone).map((text) => [span('  did    ', 'good'), span(text, 'faint')]),
  }));
  // What waits comes before what was done, of whichever database.
  const forWaits = shareOut(
    sections.map(({ waits }) => 1 + waits.flat().length),
    most,
  );
  const left = most - forWaits.reduce((sum, lines) => sum + lines, 0);
  const forDone = shareOut(
    sections.map(({ done }) => done.length),
    left,
  );
  return sections.flatMap(({ head, waits, done }, index) => {
    const lines = [head, ...waits.flat()].slice(0, forWaits[index]);
    return [...markCut(lines, waits), ...done.slice(0, forDone[index])];
  });
}

/** More of the past than this tells nobody anything. */
const mostDone = 6;
const margin = '  waits  '.length;

/** Whole: how far it is and how long it takes stands at the end. */
const paragraph = (word: string, text: string, columns: number): readonly StyledLine[] =>
  wrap(text, columns - margin).map((line, index) => [
    span(`  ${index === 0 ? word : ''}`.padEnd(margin), 'busy'),
    span(line),
  ]);

/** A sentence that has lost its end says so. */
function markCut(lines: readonly StyledLine[], waits: readonly (readonly StyledLine[])[]): readonly StyledLine[] {
  const last = lines.at(-1);
  const sentence = waits.find((one) => last !== undefined && one.includes(last));
  if (last === undefined || sentence === undefined || sentence.at(-1) === last) return lines;
  return [...lines.slice(0, -1), [...last, span(' ~', 'faint')]];
}

/** As much as each wants, where there is enough; else the same for all, and what one does not need goes to the others. */
export function shareOut(wanted: readonly number[], available: number): readonly number[] {
  const given = wanted.map(() => 0);
  for (let left = available; left > 0; ) {
    const hungry = wanted.flatMap((want, index) => ((given[index] ?? 0) < want ? [index] : []));
    if (hungry.length === 0) break;
    for (const index of hungry.slice(0, left)) given[index] = (given[index] ?? 0) + 1;
    left -= Math.min(left, hungry.length);
  }
  return given;
}
