import { describe, expect, test } from 'vitest';
import { oneMoreTaint } from './taint-key.ts';
import { runDrover } from './testing/run-drover.ts';

describe('--leaving-taint', () => {
  test('may be given again, with every key that a taint can have', () => {
    const autoscaler = oneMoreTaint('ToBeDeletedByClusterAutoscaler', []);
    expect(oneMoreTaint('karpenter.sh/disrupted', autoscaler)).toEqual([
      'ToBeDeletedByClusterAutoscaler',
      'karpenter.sh/disrupted',
    ]);
  });

  test.each(['', '*', 'a b', 'karpenter.sh/', 'a=b:NoSchedule'])('is not %j', (key) => {
    expect(() => oneMoreTaint(key, [])).toThrow('a taint is named by its key');
  });

  test('is explained in the help of the operator, with the keys that others use', { timeout: 60_000 }, async () => {
    const { exitCode, stdout } = await runDrover(['operator', '--help']);
    expect(exitCode).toBe(0);
    const words = stdout.replace(/\s+/g, ' ');
    expect(words).toContain('--leaving-taint <key>');
    expect(words).toContain(
      "Karpenter's is karpenter.sh/disrupted, cluster-autoscaler's ToBeDeletedByClusterAutoscaler",
    );
  });

  test('that is none ends the operator before it begins', { timeout: 60_000 }, async () => {
    const { exitCode, stderr } = await runDrover(['operator', '--leaving-taint', 'a=b']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('a taint is named by its key');
  });
});
