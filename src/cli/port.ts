import { InvalidArgumentError } from 'commander';

/** A port from the command line. 0 means any free one. */
export function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535.');
  return value;
}
