import { describe, expect, test } from 'vitest';
import { evictionGuard, statefulCluster } from '../../api/kinds.ts';
import { name } from '../../model/ids.ts';
import { at } from '../../model/testing/given.ts';
import { timestampOf } from '../status/moments.ts';
import { wordsOfCluster, wordsOfGuard } from './guard-word.ts';

const reason = (code: string, until: number | null = null) => ({
  code,
  message: `says ${code}`,
  since: timestampOf(at(-60)),
  until: until === null ? null : timestampOf(at(until)),
});
const job = (progressPercent: number | null, verb = 'Evacuate', state = 'Running') => ({
  id: 'j',
  verb,
  process: 's-1',
  state,
  since: timestampOf(at(-60)),
  progressPercent,
});
const far = (percent: number, end: number | null, moreFollows = false) => ({
  percent,
  saidAt: timestampOf(at(-10)),
  estimatedEnd: end === null ? null : timestampOf(at(end)),
  moreFollows,
});
const ofCluster = (
  waitingFor: readonly object[],
  jobs: readonly object[] = [],
  verdict = 'none',
  progress?: object,
) => {
  const status = statefulCluster.status.parse({
    processGroups: [{ processGroupID: 's-1', role: 'storage', verdict, waitingFor, progress }],
    jobs,
  });
  return wordsOfCluster(name('db/orders'), status, at(0)).get('s-1');
};

describe('what a cluster says of a process group', () => {
  test.each`
    recorded   | waitingFor                  | verdict    | codes
    ${'none'}  | ${[]}                       | ${'allow'} | ${[]}
    ${'allow'} | ${[]}                       | ${'allow'} | ${[]}
    ${'wait'}  | ${[]}                       | ${'wait'}  | ${['NotAskedYet']}
    ${'never'} | ${[]}                       | ${'never'} | ${['NeverEvicted']}
    ${'none'}  | ${[reason('NotDrained')]}   | ${'wait'}  | ${['NotDrained']}
    ${'allow'} | ${[reason('InLine')]}       | ${'wait'}  | ${['InLine']}
    ${'none'}  | ${[reason('NeverEvicted')]} | ${'never'} | ${['NeverEvicted']}
    ${'never'} | ${[reason('NeverEvicted')]} | ${'never'} | ${['NeverEvicted']}
  `('$recorded, $waitingFor.0.code: $verdict', ({ recorded, waitingFor, verdict, codes }) => {
    const word = ofCluster(waitingFor, [], recorded);
    expect(word).toMatchObject({ verdict, by: 'db/orders' });
    expect(word?.reasons.map(({ code }) => code)).toEqual(codes);
  });

  test('what nobody has asked for says so in words', () => {
    expect(ofCluster([], [], 'wait')?.reasons[0]?.message).toBe(
      's-1 would wait first: it is made ready to go once someone asks for it',
    );
    expect(ofCluster([], [], 'never')?.reasons[0]?.message).toMatch(
      /^s-1 stays: pods of the role storage are never evicted/,
    );
  });

  test('its words and since when', () => {
    expect(ofCluster([reason('NotDrained')])?.reasons).toEqual([
      { code: 'NotDrained', message: 'says NotDrained', since: at(-60), until: null },
    ]);
  });

  test.each`
    what                              | waitingFor                            | jobs                               | percent | end
    ${'as fast as so far'}            | ${[reason('NotDrained')]}             | ${[job(50)]}                       | ${50}   | ${at(60)}
    ${'too little to tell'}           | ${[reason('NotDrained')]}             | ${[job(4)]}                        | ${4}    | ${null}
    ${'another job'}                  | ${[reason('NotDrained')]}             | ${[job(50, 'HandOff')]}            | ${null} | ${null}
    ${'a job that failed'}            | ${[reason('NotDrained')]}             | ${[job(50, 'Evacuate', 'Failed')]} | ${null} | ${null}
    ${'when the last reason is over'} | ${[reason('A', 90), reason('B', 30)]} | ${[]}                              | ${null} | ${at(90)}
    ${'not while one has no end'}     | ${[reason('A', 90), reason('B')]}     | ${[]}                              | ${null} | ${null}
  `('its end: $what', ({ waitingFor, jobs, percent, end }) => {
    expect(ofCluster(waitingFor, jobs)).toMatchObject({ progressPercent: percent, estimatedEnd: end });
  });
});

test.each`
  what                                     | progress               | jobs         | verdict    | until   | percent | end        | follows
  ${'the engine’s own figures, over ours'} | ${far(10, 120)}        | ${[job(50)]} | ${'none'}  | ${null} | ${10}   | ${at(120)} | ${false}
  ${'without any job'}                     | ${far(10, 120, true)}  | ${[]}        | ${'none'}  | ${null} | ${10}   | ${at(120)} | ${true}
  ${'the end is ours where it says none'}  | ${far(10, null)}       | ${[job(50)]} | ${'none'}  | ${null} | ${10}   | ${at(60)}  | ${false}
  ${'of one copy, with our end'}           | ${far(10, null, true)} | ${[job(50)]} | ${'none'}  | ${null} | ${10}   | ${at(60)}  | ${false}
  ${'time alone ends it'}                  | ${far(10, 120, true)}  | ${[]}        | ${'none'}  | ${90}   | ${10}   | ${at(90)}  | ${false}
  ${'what never goes has no end'}          | ${far(10, 120)}        | ${[]}        | ${'never'} | ${null} | ${10}   | ${null}    | ${undefined}
`('how far it is: $what', ({ progress, jobs, verdict, until, percent, end, follows }) => {
  const word = ofCluster([reason('HoldsReplicas', until)], jobs, verdict, progress);
  expect(word).toMatchObject({ progressPercent: percent, estimatedEnd: end });
  expect(word?.moreFollows).toBe(follows);
});

test('what a guard says of a process goes for its pod', () => {
  const process = {
    process: '8e9e05c52164694d',
    role: 'member',
    verdict: 'wait',
    waitingFor: [reason('QuorumAtRisk')],
    progress: far(35, 60),
  };
  const status = evictionGuard.status.parse({
    processes: [
      { ...process, pod: 'etcd-0' },
      { ...process, process: 'x', pod: null },
    ],
  });
  const words = wordsOfGuard(name('db/etcd'), status, at(0));
  expect([...words.keys()]).toEqual(['etcd-0']);
  expect(words.get('etcd-0')).toMatchObject({ verdict: 'wait', by: 'db/etcd', reasons: [{ code: 'QuorumAtRisk' }] });
  expect(words.get('etcd-0')).toMatchObject({ progressPercent: 35, estimatedEnd: at(60) });
});
