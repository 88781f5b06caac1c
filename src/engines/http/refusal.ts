import { EngineRefused, EngineUnreachable } from '../engine.ts';
import { excerpt } from '../excerpt.ts';
import { refusalSchema } from './contract.schema.ts';
import type { ContractAnswer } from './exchange.ts';

export const isSuccess = ({ status }: ContractAnswer): boolean => status >= 200 && status < 300;

/** Why a question was not answered, by the status. */
export function unanswered(what: string, answer: ContractAnswer): EngineUnreachable {
  return new EngineUnreachable(`${what} ${sentenceFor(answer)}`);
}

/** Why a verb did not pass: a server in trouble may have heard it all the same, any other certainly did nothing. */
export function notDone(what: string, answer: ContractAnswer): EngineRefused | EngineUnreachable {
  const sentence = `${what} ${sentenceFor(answer)}`;
  return answer.status >= 500 || answer.status === 408 ? new EngineUnreachable(sentence) : new EngineRefused(sentence);
}

function sentenceFor(answer: ContractAnswer): string {
  const { status } = answer;
  const said = wordsIn(answer);
  if (status === 401) return `was not allowed in (401${said}): look at the token of bearerTokenSecretRef`;
  if (status === 403) return `is forbidden to us (403${said}): the server knows us, and does not let us`;
  if (status === 404)
    return `is not known there (404${said}): this server does not speak the contract, or stands under another path`;
  if (status === 405) return `is not known there (405${said}): this server does not speak the contract`;
  if (status === 408 || status === 504)
    return `was not answered in time by what stands before the server (${status}${said})`;
  if (status === 429) return `came too early (429${said}): it is tried again later`;
  if (status === 503) return `is not served now (503${said}): it is tried again later`;
  if (status >= 500) return `failed there (${status}${said}): look at the log of the server`;
  if (status >= 300 && status < 400)
    return `was sent elsewhere (${status}, to ${excerpt(answer.headers['location'] ?? 'nowhere')}): redirects are not followed, put the right address into the spec`;
  return `was refused (${status}${said})`;
}

/** What the server said about it, if anything that a person can read. */
function wordsIn({ body, headers }: ContractAnswer): string {
  const parsed = refusalSchema.safeParse(jsonIn(body));
  if (parsed.success) return `: ${excerpt(parsed.data.message)}`;
  const isPage = /^\s*</.test(body) || (headers['content-type'] ?? '').includes('html');
  return isPage || body.trim() === '' ? '' : `: ${excerpt(body)}`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
