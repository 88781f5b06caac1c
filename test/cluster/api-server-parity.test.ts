import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import {
  embeddedServer,
  normalise,
  type ParityAnswer,
  type ParityServer,
  realServer,
} from './api-server-parity.harness.ts';
import { replay, walk } from './api-server-parity.random.ts';
import { scenarios } from './api-server-parity.scenarios.ts';
import type { Scenario } from './api-server-parity.steps.ts';
import { startClusterWithKinds } from './kinds/cluster-with-kinds.ts';

let cluster: Cluster;
let real: ParityServer;
let embedded: ParityServer;

beforeAll(async () => {
  cluster = await startClusterWithKinds();
  real = await realServer(cluster.kubeconfig);
  embedded = embeddedServer();
  const folder = join(import.meta.dirname, '../../deploy/crds');
  for (const file of readdirSync(folder)) {
    const body = parse(readFileSync(join(folder, file), 'utf8'));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await embedded.send({ method: 'POST', path, body }, [])).status).toBe(201);
  }
});

afterAll(async () => {
  real?.close();
  embedded?.close();
  await cluster?.stop();
});

let namespaces = 0;

/** A namespace of the same name on both. */
async function newNamespace(): Promise<string> {
  const name = `parity-${++namespaces}`;
  const step = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } } as const;
  for (const server of [real, embedded]) expect((await server.send(step, [])).status).toBe(201);
  return name;
}

async function play(scenario: Scenario): Promise<void> {
  const namespace = await newNamespace();
  const ofReal: ParityAnswer[] = [];
  const ofEmbedded: ParityAnswer[] = [];
  for (const step of scenario.steps(namespace)) {
    const [a, b] = await Promise.all([real.send(step, ofReal), embedded.send(step, ofEmbedded)]);
    ofReal.push(a);
    ofEmbedded.push(b);
    const what = `step ${ofReal.length}: ${step.method} ${step.path}`;
    expect({ what, ...normalise(b) }).toEqual({ what, ...normalise(a) });
  }
}

describe('the embedded API server answers as the real one', () => {
  for (const [group, list] of Object.entries(scenarios)) {
    describe(group, () => {
      test.each(list.map((scenario) => [scenario.name, scenario] as const))('%s', (_, scenario) => play(scenario));
    });
  }
});

/** More with `DROVER_PARITY_SEEDS=200`; one alone with `DROVER_PARITY_FIRST=17 DROVER_PARITY_SEEDS=1`. */
const first = Number(process.env['DROVER_PARITY_FIRST'] ?? 1);
const seeds = Number(process.env['DROVER_PARITY_SEEDS'] ?? 20);

/** Each in a namespace of its own, and mostly waiting for watches. */
describe.concurrent('random requests get the same answers from both', () => {
  test.each(Array.from({ length: seeds }, (_, index) => first + index))('seed %i', async (seed) => {
    const difference = await replay(walk(seed, await newNamespace(), 120), real, embedded);
    expect(difference, `DROVER_PARITY_FIRST=${seed} DROVER_PARITY_SEEDS=1`).toBeUndefined();
  });
});
