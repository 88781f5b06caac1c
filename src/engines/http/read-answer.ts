import type { z } from 'zod';
import { EngineUnreachable } from '../engine.ts';
import { excerpt } from '../excerpt.ts';
import type { ContractAnswer } from './exchange.ts';

/** The document in an answer. Throws `EngineUnreachable` for what is none, or not of the shape of the contract: no part of it is believed. */
export function readAnswer<Schema extends z.ZodType>(
  what: string,
  schema: Schema,
  { body, headers }: Pick<ContractAnswer, 'body' | 'headers'>,
): z.output<Schema> {
  const parsed = schema.safeParse(documentIn(what, body, headers['content-type'] ?? ''));
  if (parsed.success) return parsed.data;
  throw new EngineUnreachable(
    `${what} is not of the contract's shape (${issueIn(parsed.error)}): nothing of it is used until the server is corrected`,
  );
}

function documentIn(what: string, body: string, type: string): unknown {
  if (body.trim() === '') throw new EngineUnreachable(`${what} is empty: the server answered without a body`);
  if (/^\s*</.test(body) || type.includes('html'))
    throw new EngineUnreachable(
      `${what} is a web page ("${excerpt(textOf(body))}"): the address leads to something else, such as a login page or a proxy`,
    );
  try {
    return JSON.parse(body);
  } catch (cause) {
    const start = excerpt(body.slice(0, 60));
    throw new EngineUnreachable(
      `${what} is no JSON, or ends in the middle (it begins "${start}"): it is read again later`,
      {
        cause,
      },
    );
  }
}

/** A page without its tags, so that its title is what a person reads. */
const textOf = (page: string): string => page.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');

function issueIn({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'no reason given';
  const path = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return excerpt(`${path === '' ? 'all of it' : path.replace(/^\./, '')}: ${issue.message}`);
}
