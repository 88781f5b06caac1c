import { expect, test } from 'vitest';
import { brokenContainer } from './broken-container.ts';

const waiting = (reason: string, message?: string) => ({ state: { waiting: { reason, ...(message && { message }) } } });
const running = { state: { running: {} } };
const ended = (exitCode: number, reason?: string) => ({ terminated: { exitCode, ...(reason && { reason }) } });
const before = (exitCode: number, reason?: string) => ({ lastState: ended(exitCode, reason) });
const cannotPull = 'the image database:7.3.36 of database cannot be pulled';

test.each`
  situation                          | container                                                                    | words
  ${'it is being made'}              | ${waiting('ContainerCreating')}                                              | ${null}
  ${'others come before it'}         | ${waiting('PodInitializing')}                                                | ${null}
  ${'it runs, and is not ready yet'} | ${running}                                                                   | ${null}
  ${'it did its work'}               | ${{ state: ended(0, 'Completed') }}                                          | ${null}
  ${'no image of that name'}         | ${waiting('ErrImagePull', 'manifest unknown')}                               | ${cannotPull}
  ${'the next attempt at it'}        | ${waiting('ImagePullBackOff', 'Back-off pulling image')}                     | ${cannotPull}
  ${'a secret is missing'}           | ${waiting('CreateContainerConfigError', 'secret "x" not found')}             | ${'database does not start: CreateContainerConfigError: secret "x" not found'}
  ${'no words at all'}               | ${waiting('RunContainerError')}                                              | ${'database does not start: RunContainerError'}
  ${'it crashed'}                    | ${{ state: ended(1, 'Error') }}                                              | ${'database ended with exit code 1'}
  ${'it waits after a crash'}        | ${{ ...waiting('CrashLoopBackOff', 'back-off 40s'), ...before(1, 'Error') }} | ${'database ended with exit code 1'}
  ${'it runs once more'}             | ${{ ...running, ...before(1, 'Error') }}                                     | ${'database ended with exit code 1'}
  ${'it was too large'}              | ${{ ...waiting('CrashLoopBackOff'), ...before(137, 'OOMKilled') }}           | ${'database ended with exit code 137 (OOMKilled)'}
  ${'it ends well, and too soon'}    | ${{ ...waiting('CrashLoopBackOff'), ...before(0, 'Completed') }}             | ${'database ends again and again'}
  ${'it is ready again'}             | ${{ ...running, ...before(1), ready: true }}                                 | ${null}
`('$situation: $words', ({ container, words }) => {
  const status = { name: 'database', ready: false, restartCount: 1, image: 'database:7.3.36', ...container };
  expect(brokenContainer({ containerStatuses: [status] })).toBe(words);
});

test('the first one that is broken is told of, those that come before the others first', () => {
  const one = (name: string, ready = false) => ({ name, ready, restartCount: 0, ...waiting('RunContainerError') });
  const broken = (init: readonly ReturnType<typeof one>[]) =>
    brokenContainer({ initContainerStatuses: init, containerStatuses: [one('fine', true), one('b'), one('c')] });
  expect(broken([])).toBe('b does not start: RunContainerError');
  expect(broken([one('init')])).toBe('init does not start: RunContainerError');
});

test('of a long story the beginning is told; where there is none, nothing', () => {
  const status = { name: 'a', ready: false, restartCount: 0, ...waiting('RunContainerError', 'x'.repeat(2000)) };
  expect(brokenContainer({ containerStatuses: [status] })).toHaveLength(512);
  expect(brokenContainer({})).toBeNull();
});
