import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const line = z.object({
  verb: z.string(),
  objectRef: z.object({ resource: z.string(), subresource: z.string().optional(), name: z.string().optional() }),
});

/** What somebody writes, as the API server's audit has it; but for events, leases and programs that are run in pods, which is how engines are read. */
export class AuditedWrites {
  /** For the API server. */
  readonly flags: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'drover-audit-'));
  readonly #log = join(this.#folder, 'audit.log');

  constructor(user: string) {
    const policy = join(this.#folder, 'policy.json');
    const besides = [
      { group: '', resources: ['events', 'pods/exec'] },
      { group: 'events.k8s.io', resources: ['events'] },
      { group: 'coordination.k8s.io', resources: ['leases'] },
    ];
    const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'];
    const rules = [
      { level: 'None', resources: besides },
      { level: 'Metadata', users: [user], verbs },
      { level: 'None' },
    ];
    const omitStages = ['RequestReceived'];
    writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages, rules }));
    // One after the other as they are done: what is in the log is all that there was.
    this.flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${this.#log}`, '--audit-log-mode=blocking'];
  }

  /** In order: `patch statefulclusters/status orders`. */
  all(): readonly string[] {
    if (!existsSync(this.#log)) return [];
    const lines = readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((text) => text !== '');
    return lines.map((text) => {
      const { verb, objectRef } = line.parse(JSON.parse(text));
      const { resource, subresource, name = '' } = objectRef;
      return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`} ${name}`;
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
