import type { Status } from './status.schema.ts';
import type { Version } from './version.ts';
import { oldest, parseVersion } from './version.ts';

/** The release that all processes have at least; undefined where one does not tell. */
export const runningVersion = ({ cluster }: Status): Version | undefined =>
  oldest(Object.values(cluster?.processes ?? {}).map(({ version }) => parseVersion(version ?? '')));
