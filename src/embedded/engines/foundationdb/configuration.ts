/** What `configure` sets. */
export interface Configuration {
  readonly redundancyMode: RedundancyMode;
  readonly storageEngine: string;
  readonly logs: number;
  readonly commitProxies: number;
  readonly grvProxies: number;
  readonly resolvers: number;
}

export type RedundancyMode = 'single' | 'double' | 'triple' | 'three_data_hall';

/** Copies of the data and of the log, and coordinators, by mode (research 3.8 and 3.11). */
const modes: Readonly<Record<RedundancyMode, { readonly copies: number; readonly coordinators: number }>> = {
  single: { copies: 1, coordinators: 1 },
  double: { copies: 2, coordinators: 3 },
  triple: { copies: 3, coordinators: 5 },
  three_data_hall: { copies: 3, coordinators: 9 },
};

const storageEngines: Readonly<Record<string, string>> = {
  ssd: 'ssd-2',
  'ssd-1': 'ssd-1',
  'ssd-2': 'ssd-2',
  memory: 'memory-2',
  'memory-1': 'memory-1',
  'memory-2': 'memory-2',
  'memory-radixtree': 'memory-radixtree',
  'memory-radixtree-beta': 'memory-radixtree',
  'ssd-redwood-1': 'ssd-redwood-1',
  'ssd-rocksdb-v1': 'ssd-rocksdb-v1',
  'ssd-sharded-rocksdb': 'ssd-sharded-rocksdb',
};

const counts = {
  logs: 'logs',
  commit_proxies: 'commitProxies',
  grv_proxies: 'grvProxies',
  resolvers: 'resolvers',
} as const;

/** Accepted and without effect on the model. */
const ignored = /^(usable_regions|log_routers|remote_logs|perpetual_storage_wiggle|storage_migration_type|proxies)=/;

export const copiesOf = ({ redundancyMode }: Configuration): number => modes[redundancyMode].copies;
export const coordinatorsOf = ({ redundancyMode }: Configuration): number => modes[redundancyMode].coordinators;

export type Configured =
  | { readonly is: 'changed'; readonly configuration: Configuration }
  /** An option that does not exist, twice the same one, or a new database without a mode or an engine. */
  | { readonly is: 'usage' };

/** The configuration after `configure <tokens>`; `old` is null for a new database. */
export function configured(tokens: readonly string[], old: Configuration | null): Configured {
  const change: { -readonly [K in keyof Configuration]?: Configuration[K] } = {};
  for (const token of tokens) {
    const [option = '', value] = token.split('=', 2);
    const engine = storageEngines[token];
    if (isMode(token) && change.redundancyMode === undefined) change.redundancyMode = token;
    else if (engine !== undefined && change.storageEngine === undefined) change.storageEngine = engine;
    else if (isCount(option) && value !== undefined && /^-?\d+$/.test(value)) change[counts[option]] = Number(value);
    else if (!ignored.test(token)) return { is: 'usage' };
  }
  const { redundancyMode = old?.redundancyMode, storageEngine = old?.storageEngine } = change;
  if (redundancyMode === undefined || storageEngine === undefined || tokens.length === 0) return { is: 'usage' };
  return { is: 'changed', configuration: { ...complete(old), ...change, redundancyMode, storageEngine } };
}

/** FoundationDB's own defaults. */
const complete = (old: Configuration | null): Omit<Configuration, 'redundancyMode' | 'storageEngine'> =>
  old ?? { logs: 3, commitProxies: 3, grvProxies: 1, resolvers: 1 };

const isMode = (token: string): token is RedundancyMode => Object.hasOwn(modes, token);
const isCount = (option: string): option is keyof typeof counts => Object.hasOwn(counts, option);
