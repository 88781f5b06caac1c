import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import { ScreenAudience } from './screen-audience.ts';

let audience: ScreenAudience;

beforeEach(() => {
  audience = new ScreenAudience(new VirtualClock(), new AbortController().signal);
});

describe("jane's terminal on the screen", () => {
  test('has what is printed again and again once, with its latest figures', () => {
    for (const line of ['node/n3 cordoned', 'Warning: drover: a 1 %', 'pod/b evicted', 'Warning: drover: a 7 %'])
      audience.onKubectl(line);
    expect(audience.terminal).toEqual(['node/n3 cordoned', 'Warning: drover: a 7 %', 'pod/b evicted']);
  });

  test('is empty when an act begins, and when the story is over', () => {
    audience.onKubectl('node/n3 cordoned');
    audience.onAct('A taint', 2, 5);
    expect(audience.terminal).toEqual([]);
    audience.onKubectl('node/n4 cordoned');
    audience.over('The story is over', []);
    expect(audience.terminal).toEqual([]);
  });
});
