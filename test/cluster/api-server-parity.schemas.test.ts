import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../src/embedded/api-server/json.ts';
import { startCluster } from '../../tools/control-plane/cluster.ts';
import { readGoFields } from './api-server-parity.go-fields.ts';
import { reduceSchemas, servedKinds } from './api-server-parity.schemas.ts';

const file = join(import.meta.dirname, '../../src/embedded/api-server/generated/schemas.json');
const modules = join(
  process.env['GOMODCACHE'] ?? join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'pkg/mod'),
  'k8s.io',
);
const version = 'v0.36.3';

/** Needs the Go modules from which the control plane was built. `DROVER_REFRESH=1` writes the file anew. */
test.skipIf(!existsSync(join(modules, `api@${version}`)))(
  'the schemas of the built-in kinds are those of the real server',
  async () => {
    const cluster = await startCluster({ nodes: 0, without: ['kube-controller-manager', 'kube-scheduler', 'kwok'] });
    try {
      const documents: Record<string, JsonObject> = {};
      for (const path of Object.keys(servedKinds)) {
        const { body } = await cluster.request('GET', `/openapi/v3/${path}`);
        if (isObject(body)) documents[path] = body;
      }
      const made = reduceSchemas(documents, readGoFields(modules, version));
      if (process.env['DROVER_REFRESH'] === '1') writeFileSync(file, made);
      expect(readFileSync(file, 'utf8') === made, 'refresh with DROVER_REFRESH=1').toBe(true);
    } finally {
      await cluster.stop();
    }
  },
);
