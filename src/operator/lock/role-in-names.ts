/**
 * A role as a part of the name of an object, which may not have underscores: `instance-manager` as it is, `commit_proxy` as `commit--proxy`. No two
 * roles come out the same, and none has a dot.
 */
export const roleInNames = (role: string): string =>
  role.replaceAll(/[-_]+/g, (run) => {
    if (run.length === 1) return run === '-' ? '-' : '--';
    return `---${run.replaceAll('-', '0').replaceAll('_', '1')}-`;
  });
