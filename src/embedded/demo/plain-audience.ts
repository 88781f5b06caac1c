import type { Audience } from './audience.ts';
import { timeOfDay } from './look.ts';
import { isAside } from './weight-of-waits.ts';

/** Tells the story in plain lines, as for a file or a pipe. What goes by itself is left out: lines that stay must be worth it. */
export function plainAudience(say: (line: string) => void): Audience {
  return {
    onAct: (title, number, of) => say(`\nAct ${number} of ${of}: ${title}`),
    tell: ({ kind, text }) => say(kind === 'result' ? `  => ${text}` : `  ${text}`),
    onEntry({ at, database, kind, code, text }) {
      if (!isAside(code)) say(`  ${timeOfDay(at)} ${kind === 'waits' ? 'waits' : 'does '} ${database}: ${text}`);
    },
    onOutcome({ passed, says }) {
      if (!passed) say(`  FAILED: ${says}`);
    },
    breathe: async () => {},
  };
}
