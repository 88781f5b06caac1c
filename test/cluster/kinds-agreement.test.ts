import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { evictionGuard, nodeDrain, statefulCluster } from '../../src/api/kinds.ts';
import { InvalidObjectError, parseObject } from '../../src/api/parse.ts';
import type { Cluster } from '../../tools/control-plane/cluster.ts';
import { startClusterWithKinds } from './kinds/cluster-with-kinds.ts';
import { goodVariants } from './kinds/good-objects.ts';
import { spoiledObjects } from './kinds/spoiled-objects.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startClusterWithKinds();
  return () => cluster.stop();
});

const root = '/apis/drover.dev/v1alpha1';
const rows = [
  {
    kind: statefulCluster,
    collection: `${root}/namespaces/default/statefulclusters`,
    parse: (object: unknown) => parseObject(statefulCluster, object),
  },
  {
    kind: evictionGuard,
    collection: `${root}/namespaces/default/evictionguards`,
    parse: (object: unknown) => parseObject(evictionGuard, object),
  },
  { kind: nodeDrain, collection: `${root}/nodedrains`, parse: (object: unknown) => parseObject(nodeDrain, object) },
] as const;

const statusBody = z.object({ message: z.string() });

describe('the API server and parseObject pass the same judgement', () => {
  test.each(rows)('on any $kind.kind', async ({ kind, collection, parse }) => {
    const verdicts = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(spoiledObjects(kind, goodVariants[kind.kind]), async (object) => {
        const answer = await cluster.request('POST', `${collection}?dryRun=All`, {
          body: z.looseObject({}).parse(object),
        });
        if (answer.status < 300) {
          verdicts.accepted++;
          expect(faults(parse, object)).toEqual([]);
          // What the server stored, with its defaults, means what we read into the object.
          const [ours, theirs] = [parse(object), parse(answer.body)];
          expect(theirs.spec).toEqual(ours.spec);
        } else {
          verdicts.refused++;
          expect(answer.status, statusBody.parse(answer.body).message).toSatisfy(
            (status) => status === 422 || status === 400,
          );
          expect(faults(parse, object), statusBody.parse(answer.body).message).not.toEqual([]);
        }
      }),
      { numRuns: 400 },
    );
    // A generator that only makes one sort proves nothing.
    expect(verdicts.accepted).toBeGreaterThan(10);
    expect(verdicts.refused).toBeGreaterThan(10);
  });
});

function faults(parse: (object: unknown) => unknown, object: unknown): readonly string[] {
  try {
    parse(object);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return error.faults.map(({ field, message }) => `${field}: ${message}`);
  }
}
