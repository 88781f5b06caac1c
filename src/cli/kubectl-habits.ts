/** What kubectl's spelling of a flag means here: there a flag may carry its value, and never takes the next word for it. */
const meant: Readonly<Record<string, readonly string[]>> = {
  '--ignore-daemonsets=true': ['--ignore-daemonsets'],
  '--ignore-daemonsets=false': ['--no-ignore-daemonsets'],
  '--dry-run=client': ['--dry-run'],
  '--dry-run=server': ['--dry-run'],
  '--dry-run=none': [],
  '--delete-emptydir-data=true': ['--delete-emptydir-data'],
  '--delete-emptydir-data=false': [],
  '--force=true': ['--force'],
  '--force=false': [],
};

/** A command line as people type it who know kubectl. */
export const withKubectlHabits = (argv: readonly string[]): string[] =>
  argv.flatMap((word) => (Object.hasOwn(meant, word) ? (meant[word] ?? []) : [word]));
