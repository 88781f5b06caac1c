import type { z } from 'zod';
import { EngineUnreachable } from '../engine.ts';
import { excerpt } from '../excerpt.ts';
import type { Status } from './status.schema.ts';
import { statusSchema } from './status.schema.ts';
import { contradictionIn } from './status-contradictions.ts';

/**
 * The document in what `status json` printed. Throws `EngineUnreachable` for what is none, is not of the known shape, or says two things that
 * cannot both be so: no part of such an answer is believed.
 */
export function parseStatus(stdout: string): Status {
  const parsed = statusSchema.safeParse(documentIn(stdout));
  if (!parsed.success) {
    throw new EngineUnreachable(
      `status json is not of the shape that Drover knows (${issueOf(parsed.error)}): nothing of it is used; does this fdbcli belong to the database's release?`,
    );
  }
  const contradiction = contradictionIn(parsed.data);
  if (contradiction === undefined) return parsed.data;
  throw new EngineUnreachable(`status json contradicts itself (${contradiction}): it is read again later`);
}

/** Warnings of the client library may stand before it. */
function documentIn(stdout: string): unknown {
  const line = /^\{/m.exec(stdout)?.index ?? stdout.indexOf('{');
  if (line < 0) {
    const said = stdout.trim() === '' ? 'nothing' : `no JSON but "${excerpt(stdout)}"`;
    throw new EngineUnreachable(`fdbcli printed ${said} for status json: run it by hand to see what is wrong`);
  }
  const text = stdout.slice(line, stdout.lastIndexOf('}') + 1);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineUnreachable(`status json ends after ${stdout.length} characters in the middle, or is no JSON`, {
      cause,
    });
  }
}

function issueOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'no reason given';
  return excerpt(`${issue.path.length === 0 ? 'all of it' : issue.path.join('.')}: ${issue.message}`);
}
