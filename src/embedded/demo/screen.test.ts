import { beforeEach, describe, expect, test } from 'vitest';
import { Screen } from './screen.ts';
import { span } from './styled.ts';
import { PaperTerminal } from './testing/paper-terminal.ts';

let terminal: PaperTerminal;
let screen: Screen;

beforeEach(() => {
  terminal = new PaperTerminal();
  screen = new Screen(terminal, true);
});

const line = (text: string) => [span(text)];

describe('the screen', () => {
  test('takes a page of its own without a cursor, and gives both back', () => {
    screen.open();
    expect(terminal.take()).toBe('ESC[?1049hESC[?25l');
    screen.close();
    expect(terminal.take()).toBe('ESC[?25hESC[?1049l');
    screen.close();
    expect(terminal.take()).toBe('');
  });

  test('writes only the lines that changed, and clears those that are gone', () => {
    screen.open();
    screen.draw([line('one'), line('two'), line('three')]);
    terminal.take();
    screen.draw([line('one'), line('2')]);
    expect(terminal.take()).toBe('ESC[2;1H2ESC[KESC[3;1HESC[K');
    screen.draw([line('one'), line('2')]);
    expect(terminal.take()).toBe('');
  });

  test('draws everything anew when its size has changed', () => {
    screen.open();
    screen.draw([line('one')]);
    terminal.take();
    terminal.columns = 20;
    screen.draw([line('one')]);
    expect(terminal.take()).toBe('ESC[2JESC[1;1HoneESC[K');
  });

  test('gives the terminal back when the process ends in any other way', () => {
    screen.open();
    terminal.take();
    const leave = process.listeners('exit').at(-1);
    expect(process.listeners('uncaughtExceptionMonitor').at(-1)).toBe(leave);
    leave?.call(process, 1);
    expect(terminal.take()).toBe('ESC[?25hESC[?1049l');
  });

  test('draws nothing once it is closed', () => {
    screen.open();
    screen.close();
    terminal.take();
    screen.draw([line('late')]);
    expect(terminal.take()).toBe('');
  });
});
