import { expect, test } from 'vitest';
import {
  at,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { surveyOf } from '../rules/survey.ts';
import { recreate } from './recreate.ts';
import { told, toldInWords } from './testing/told.ts';

/** Two pods are to be made again, and what would take the place of the first is refused. */
const remaking = (now: number) => {
  const ids = ['storage-1', 'storage-2'];
  return recreate(
    surveyOf(
      givenSnapshot({
        now: at(now),
        spec: givenSpec({ roles: [givenRole('storage', { count: 2 })], podUpdateStrategy: 'Delete' }),
        processGroups: ids.map((id) => {
          const pod = givenPod(id, { shape: givenShape({ specHash: 'pod-0' }) });
          return givenGroup(id, { zone: `zone of ${id}`, pod });
        }),
        topology: givenTopology({
          processes: ids.map((id) => givenProcess(id, { zone: `zone of ${id}` })),
          health: givenHealth({ maintenance: null }),
        }),
        jobs: [givenJob('storage-1', { verb: 'Create', state: 'Failed', message: 'no', retryAt: at(30) })],
      }),
    ),
  );
};

test('a pod is not deleted whose successor would be refused, and holds no other up', () => {
  expect(told(remaking(0))).toEqual([
    'delete-pod storage-2 uid-storage-2@1 (PodOutdated)',
    'recreate holds storage-1: ObjectRefused until at 30',
    'wake at 30',
  ]);
  expect(toldInWords(remaking(0))[0]).toContain(
    'storage-1 keeps its old pod: the API server refuses it: no; tried again at ',
  );
});

test('it is when the next try is due', () => {
  expect(told(remaking(30))).toContain('delete-pod storage-1 uid-storage-1@1 (PodOutdated)');
});
