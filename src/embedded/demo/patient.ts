import type { EmbeddedApiServer } from '../api-server/api-server.ts';

/** How long a watch lasts for people, where they name no time. */
const watchSeconds = 3600;

/**
 * The server as people meet it whose time is not the server's: it ends a watch after so many of their seconds, not of its own. Otherwise
 * `kubectl get --watch` would be over within a minute where an hour passes in one.
 */
export function patient(server: EmbeddedApiServer, speed: number): EmbeddedApiServer {
  const answer: EmbeddedApiServer['answer'] = (request, user) =>
    server.answer({ ...request, path: stretched(request.path, speed) }, user);
  return new Proxy(server, {
    get: (target, key) => (key === 'answer' ? answer : Reflect.get(target, key)),
  });
}

/** The path with the time limit of its watch in the server's seconds. What is no watch, or has a limit that is no number, is left as it is. */
export function stretched(path: string, speed: number): string {
  const mark = path.indexOf('?');
  if (mark < 0) return path;
  const query = new URLSearchParams(path.slice(mark + 1));
  if (!['true', '1'].includes(query.get('watch') ?? '')) return path;
  const asked = query.get('timeoutSeconds') ?? '';
  if (asked !== '' && !/^\d+$/.test(asked)) return path;
  const wanted = Number(asked) > 0 ? Number(asked) : watchSeconds;
  query.set('timeoutSeconds', String(Math.ceil(wanted * speed)));
  return `${path.slice(0, mark)}?${query.toString()}`;
}
