import type { Audience } from './audience.ts';
import { gistOf } from './gist.ts';
import { timeOfDay } from './look.ts';
import { isAside } from './weight-of-waits.ts';

/**
 * Tells the story in plain lines, as for a file or a pipe. Lines that stay must be worth it: what goes by itself is left out, and what kubectl prints
 * again and again is told once in an act, whatever its figures say.
 */
export function plainAudience(say: (line: string) => void): Audience {
  const printed = new Set<string>();
  return {
    onAct(title, number, of) {
      printed.clear();
      say(`\nAct ${number} of ${of}: ${title}`);
    },
    tell: ({ kind, text }) => say(kind === 'result' ? `  => ${text}` : `  ${text}`),
    onEntry({ at, database, kind, code, text }) {
      if (kind === 'does' || !isAside(code))
        say(`  ${timeOfDay(at)} ${kind === 'waits' ? 'waits' : 'does '} ${database}: ${text}`);
    },
    onKubectl(line) {
      const gist = gistOf(line);
      if (printed.has(gist)) return;
      printed.add(gist);
      say(`  | ${line}`);
    },
    onOutcome({ passed, says }) {
      if (!passed) say(`  FAILED: ${says}`);
    },
    breathe: async () => {},
  };
}
