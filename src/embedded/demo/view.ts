import type { Span, Style, StyledLine } from './styled.ts';
import { cut, fit, span, wrap } from './styled.ts';
import { databaseLines } from './view-databases.ts';
import type { ActInView, GroupInView, GroupState, NodeInView, ViewState } from './view-state.ts';

/** Of a terminal, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A zone beside a zone needs so much. */
const leastColumn = 36;
/** With fewer rows than this, there is room for the most important hint only. */
const rowsForHints = 34;
/** What is shown of jane's terminal, where there is room for more than the most important. */
const terminalRoom = 6;
/** Of the screen, what may be told of an act, so that there is room for what comes of it. */
const actShare = 0.18;

/** The whole screen: never more lines than it has rows, never a line that is wider than it. */
export function view(state: ViewState, { columns, rows }: Size): readonly StyledLine[] {
  const above = [
    ...headLines(state, columns, rows < rowsForHints ? 1 : state.hints.length),
    ...actLines(state.act, columns, Math.max(2, Math.floor(rows * actShare))),
    ...terminalLines(state.terminal, columns, rows < rowsForHints ? 0 : terminalRoom),
    [],
    ...nodeLines(state, columns),
    ...unplacedLines(state.unplaced),
    [],
  ];
  const left = Math.max(0, rows - above.length);
  return [...above, ...databaseLines(state.databases, columns, left)].slice(0, rows).map((line) => cut(line, columns));
}

function headLines({ time, speed, hints }: ViewState, columns: number, most: number): StyledLine[] {
  const title = [
    span('Drover demo', 'strong'),
    span(`  ${time}, ${speed} times as fast as yours`),
    span('  Ctrl-C ends it', 'faint'),
  ];
  // A path that is cut off is worth nothing: these are wrapped.
  return [title, ...hints.slice(0, most).flatMap((hint) => wrap(hint, columns).map((text) => [span(text, 'faint')]))];
}

const actStyles: { readonly [kind in ActInView['lines'][number]['kind']]: Style } = {
  plan: 'plain',
  why: 'faint',
  result: 'good',
  failure: 'bad',
};

/** The headline, and of what is told as much as there is room for: what came of it first, then what it was, then why. */
function actLines(act: ActInView | null, columns: number, room: number): StyledLine[] {
  if (act === null) return [];
  const told = act.lines.map(({ kind, text }) =>
    wrap(text, columns - 2).map((line): StyledLine => [span(`  ${line}`, actStyles[kind])]),
  );
  const urgency = act.lines.map(({ kind }) => ['failure', 'result', 'plan', 'why'].indexOf(kind));
  const shown = told.map((): readonly StyledLine[] => []);
  let left = room;
  for (const index of [...told.keys()].toSorted((a, b) => (urgency[a] ?? 0) - (urgency[b] ?? 0))) {
    const paragraph = told[index] ?? [];
    if (left < room && paragraph.length > left) break;
    shown[index] = paragraph.slice(0, left);
    left -= Math.min(left, paragraph.length);
  }
  return [[], [span(act.headline, 'strong')], ...shown.flat()];
}

/** The last lines of a terminal, whole: the reason stands at the end. */
function terminalLines(lines: readonly string[], columns: number, most: number): StyledLine[] {
  const shown: StyledLine[] = [];
  for (const line of lines.toReversed()) {
    const wrapped = wrap(line, columns - 2).map((text) => [span('| ', 'strong'), span(text, 'busy')]);
    if (shown.length + wrapped.length > most) break;
    shown.unshift(...wrapped);
  }
  return shown;
}

function nodeLines({ zones }: ViewState, columns: number): StyledLine[] {
  const width = Math.floor(columns / Math.max(1, zones.length));
  if (width < leastColumn) return zones.flatMap(({ name, nodes }) => nodes.map((node) => nodeInALine(name, node)));
  const stacks = zones.map(({ name, nodes }) => [[span(`zone ${name}`, 'strong')], ...nodes.flatMap(nodeInAStack)]);
  const height = Math.max(0, ...stacks.map((stack) => stack.length));
  return Array.from({ length: height }, (_, row) =>
    stacks.flatMap((stack) => fit(cut(stack[row] ?? [], width - 1), width)),
  );
}

function nodeInAStack(node: NodeInView): StyledLine[] {
  return [[...nodeHead(node)], ...node.groups.map((group) => [span('  '), ...groupSpans(group)])];
}

function nodeInALine(zone: string, node: NodeInView): StyledLine {
  return [
    span(`${zone} `, 'faint'),
    ...nodeHead(node),
    ...node.groups.flatMap((group) => [span('  '), ...groupSpans(group)]),
  ];
}

function nodeHead({ name, marks }: NodeInView): Span[] {
  if (marks.length === 0) return [span(`${name} `, 'strong'), span('ready', 'faint')];
  return [span(`${name} `, 'strong'), span(marks.join(', '), marks.includes('dead') ? 'bad' : 'busy')];
}

/** A letter that can be typed, so that it is one column wide everywhere; a word beside it where it does anything but serve. */
const signs: {
  readonly [state in GroupState]: { readonly sign: string; readonly word: string; readonly style: Style };
} = {
  serving: { sign: '+', word: '', style: 'good' },
  leading: { sign: '*', word: 'leads', style: 'good' },
  emptying: { sign: '>', word: 'empties', style: 'busy' },
  filling: { sign: '<', word: 'fills', style: 'busy' },
  starting: { sign: '.', word: 'pending', style: 'busy' },
  going: { sign: '-', word: 'going', style: 'busy' },
  down: { sign: 'x', word: 'down', style: 'bad' },
};

function groupSpans({ database, id, state, percent }: GroupInView): Span[] {
  const { sign, word, style } = signs[state];
  const about = [word, percent === null ? '' : `${percent} %`].filter((part) => part !== '').join(' ');
  return [span(`${sign} `, style), span(`${database}/${id}`), span(about === '' ? '' : ` ${about}`, style)];
}

function unplacedLines(groups: readonly GroupInView[]): StyledLine[] {
  if (groups.length === 0) return [];
  return [[span('without a node ', 'busy'), ...groups.flatMap((group) => [span('  '), ...groupSpans(group)])]];
}
