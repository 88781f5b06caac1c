import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { millis, sleep } from '../../kube/clock.ts';
import { realClock } from '../../kube/real-clock.ts';
import { playLive } from './play-live.ts';
import { Screen } from './screen.ts';
import { PaperTerminal } from './testing/paper-terminal.ts';

const usual = { clock: realClock, speed: 60, story: true, port: 0, say: () => {} };
const wait = (time: number) => sleep(realClock, millis(time), new AbortController().signal);

describe('the demo at a terminal', () => {
  test('shows the nodes, the databases and the act, and gives the terminal back when it is stopped', async () => {
    const terminal = new PaperTerminal();
    const stop = new AbortController();
    const playing = playLive({ ...usual, screen: new Screen(terminal, false) }, stop.signal);
    let picture = '';
    while (!picture.includes('Act 1 of 5')) {
      await wait(50);
      picture += terminal.take();
    }
    stop.abort();
    expect(await playing).toEqual([]);
    for (const words of [
      'zone z1',
      'n4 ready',
      '* reports/single-1 leads',
      'Act 1 of 5',
      'kubectl drain n3',
      'kubectl taint node n4',
    ])
      expect(picture).toContain(words);
    expect(terminal.take()).toMatch(/ESC\[\?25hESC\[\?1049l$/);
    const kubeconfig = /KUBECONFIG=(\S+?)ESC/.exec(picture)?.[1] ?? '';
    expect(kubeconfig).toContain('drover-demo-');
    expect(existsSync(kubeconfig)).toBe(false);
  });

  test.each([0, 1, 50])('stopped %i ms after it began, while it comes up, it just ends', async (time) => {
    const terminal = new PaperTerminal();
    const stop = new AbortController();
    if (time === 0) stop.abort();
    const playing = playLive({ ...usual, screen: new Screen(terminal, false) }, stop.signal);
    await wait(time);
    stop.abort();
    expect(await playing).toEqual([]);
    expect(terminal.take()).toBe('');
  });

  test('fails with what is wrong with the view, and gives the terminal back', async () => {
    class TornTerminal extends PaperTerminal {
      override write(text: string): void {
        if (text.includes('zone')) throw new Error('the paper is torn');
        super.write(text);
      }
    }
    const terminal = new TornTerminal();
    const playing = playLive({ ...usual, screen: new Screen(terminal, false) }, new AbortController().signal);
    await expect(playing).rejects.toThrow('the paper is torn');
    expect(terminal.take()).toBe('ESC[?1049hESC[?25lESC[?25hESC[?1049l');
  });
});
