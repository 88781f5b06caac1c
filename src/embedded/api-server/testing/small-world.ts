import { seededRandom } from '../../../kube/random.ts';
import { VirtualClock } from '../../../kube/testing/virtual-clock.ts';
import type { Answer } from '../answer.ts';
import { type ApiServerOptions, EmbeddedApiServer } from '../api-server.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { WatchStream } from '../watch-stream.ts';

export interface Reply {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** A server with a clock that stands still, and short ways to ask it. */
export class SmallWorld {
  readonly clock = new VirtualClock();
  readonly server: EmbeddedApiServer;

  constructor(options: Partial<ApiServerOptions> = {}) {
    this.server = new EmbeddedApiServer({ clock: this.clock, random: seededRandom(1), ...options });
  }

  async send(method: string, path: string, body?: JsonValue, headers: Record<string, string> = {}): Promise<Reply> {
    const answer = await this.raw(method, path, body, headers);
    if (answer.body instanceof WatchStream) throw new Error('this is a watch');
    const parsed = parseJson(answer.body);
    return { status: answer.status, body: isObject(parsed) ? parsed : {}, warnings: answer.warnings ?? [] };
  }

  /** Creates something; the test fails where that is refused. */
  async make(path: string, body: JsonObject): Promise<JsonObject> {
    const reply = await this.send('POST', path, body);
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  }

  merge(path: string, body: JsonObject): Promise<Reply> {
    return this.send('PATCH', path, body, { 'content-type': 'application/merge-patch+json' });
  }

  /** The lines of a watch that are there already, and those that come until it is closed. */
  async watch(path: string): Promise<{ readonly lines: () => Promise<JsonObject[]>; readonly stream: WatchStream }> {
    const answer = await this.raw('GET', path);
    const { body } = answer;
    if (!(body instanceof WatchStream)) throw new Error(`no watch: ${body}`);
    const iterator = body[Symbol.asyncIterator]();
    return {
      stream: body,
      lines: async () => {
        const chunk = await iterator.next();
        const text = chunk.done === true ? '' : Buffer.from(chunk.value).toString('utf8');
        return text
          .split('\n')
          .map((line) => parseJson(line))
          .filter(isObject);
      },
    };
  }

  raw(method: string, path: string, body?: JsonValue, headers: Record<string, string> = {}): Promise<Answer> {
    const user = { username: 'jane', groups: [] };
    return this.server.answer(
      { method, path, headers, body: body === undefined ? undefined : JSON.stringify(body) },
      user,
    );
  }
}

export const configMap = (name: string, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name, ...metadata },
  data: { a: '1' },
});

export const runningPod = (name: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, labels: { app: 'db' }, ...more },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
});
