import type { Output } from './output.ts';

/** The first line of each command's help. */
const usages: Readonly<Record<string, string>> = {
  include:
    'include all|[<ADDRESS...>] [locality_dcid:<excludedcid>] [locality_zoneid:<excludezoneid>] [locality_machineid:<excludemachineid>] [locality_processid:<excludeprocessid>] or any locality data',
  maintenance: 'maintenance [on|off] [ZONEID] [SECONDS]',
  configure:
    'configure [new|tss]<single|double|triple|three_data_hall|three_datacenter|ssd|memory|memory-radixtree-beta|proxies=<PROXIES>|commit_proxies=<COMMIT_PROXIES>|grv_proxies=<GRV_PROXIES>|logs=<LOGS>|resolvers=<RESOLVERS>>*|count=<TSS_COUNT>|perpetual_storage_wiggle=<WIGGLE_SPEED>|storage_migration_type={disabled|gradual|aggressive}',
};

/** How the command is called; the run has failed. */
export function printUsage(command: string, out: Output): false {
  out.print(`Usage: ${usages[command] ?? command}`);
  return false;
}
