import { describe, expect, test } from 'vitest';
import { seconds } from '../../kube/clock.ts';
import { seededRandom } from '../../kube/random.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { EmbeddedApiServer } from '../api-server/api-server.ts';
import { WatchStream } from '../api-server/watch-stream.ts';
import { patient, stretched } from './patient.ts';

describe("the limit of a watch is in the person's seconds", () => {
  test.each`
    asked                                     | answered
    ${'/api/v1/pods'}                         | ${'/api/v1/pods'}
    ${'/api/v1/pods?limit=500'}               | ${'/api/v1/pods?limit=500'}
    ${'/api/v1/pods?watch=true'}              | ${'/api/v1/pods?watch=true&timeoutSeconds=216000'}
    ${'/api/v1/pods?watch=1&timeoutSeconds='} | ${'/api/v1/pods?watch=1&timeoutSeconds=216000'}
    ${'/x?watch=true&timeoutSeconds=30'}      | ${'/x?watch=true&timeoutSeconds=1800'}
    ${'/x?watch=false&timeoutSeconds=30'}     | ${'/x?watch=false&timeoutSeconds=30'}
    ${'/x?watch=true&timeoutSeconds=soon'}    | ${'/x?watch=true&timeoutSeconds=soon'}
  `('$asked', ({ asked, answered }) => {
    expect(stretched(asked, 60)).toBe(answered);
  });

  test('so a watch of 30 s outlives 30 s of a server whose time runs 60 times as fast, and ends after 30 min of them', async () => {
    const clock = new VirtualClock();
    const server = new EmbeddedApiServer({ clock, random: seededRandom(1) });
    const request = { method: 'GET', path: '/api/v1/pods?watch=true&timeoutSeconds=30', headers: {}, body: '' };
    const { body } = await patient(server, 60).answer(request, { username: 'jane', groups: [] });
    if (!(body instanceof WatchStream)) throw new Error('no watch was begun');
    let hasEnded = false;
    body.onClose(() => {
      hasEnded = true;
    });
    await clock.pass(seconds(1799));
    expect(hasEnded).toBe(false);
    await clock.pass(seconds(2));
    expect(hasEnded).toBe(true);
    server.stop();
  });
});
