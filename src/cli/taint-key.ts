import { InvalidArgumentError } from 'commander';
import { taintKey } from '../api/v1alpha1/names.schema.ts';

/** One more taint key from the command line, after those that were given before. `*` would make every taint a drain, and is refused. */
export function oneMoreTaint(text: string, before: readonly string[]): readonly string[] {
  if (text === '*' || !taintKey.safeParse(text).success)
    throw new InvalidArgumentError('a taint is named by its key, such as karpenter.sh/disrupted.');
  return [...before, text];
}
