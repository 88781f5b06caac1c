import { minutes, seconds } from '../../../../kube/clock.ts';
import { seededRandom } from '../../../../kube/random.ts';
import { VirtualClock } from '../../../../kube/testing/virtual-clock.ts';
import type { ProcessId } from '../../../../model/ids.ts';
import { name } from '../../../../model/ids.ts';
import type { Process, Topology } from '../../../../model/topology.ts';
import { isUnreachable } from '../../../../model/topology.ts';
import type { EngineProcess } from '../../model-engine.ts';
import { givenProcess } from '../../testing/given-process.ts';
import type { CliResult } from '../cli/fdbcli-command-line.ts';
import type { FdbOptions } from '../fdb-options.ts';
import { fdbOptions } from '../fdb-options.ts';
import { FoundationDB } from '../foundationdb.ts';

export const gibibyte = 1024 ** 3;

export interface GivenFdb extends Partial<FdbOptions> {
  readonly seed?: number;
  readonly mode?: string;
  readonly storage?: number;
  readonly logs?: number;
  readonly stateless?: number;
  /** How many of the first storage processes coordinate. */
  readonly coordinators?: number;
}

/** What the tests read of a status. */
export interface Status {
  readonly client: {
    readonly database_status: { readonly available: boolean; readonly healthy: boolean };
    readonly coordinators: {
      readonly quorum_reachable: boolean;
      readonly coordinators: readonly { readonly address: string; readonly reachable: boolean }[];
    };
  };
  readonly cluster: {
    readonly full_replication: boolean;
    readonly maintenance_zone?: string;
    readonly connection_string: string;
    readonly incompatible_connections: readonly string[];
    readonly messages: readonly { readonly name: string }[];
    readonly recovery_state: {
      readonly name: string;
      readonly active_generations: number;
      readonly seconds_since_last_recovered: number;
    };
    readonly configuration: { readonly excluded_servers: readonly object[] };
    readonly data: {
      readonly team_trackers: readonly { readonly state: { readonly min_replicas_remaining: number } }[];
      readonly moving_data: { readonly in_flight_bytes: number; readonly in_queue_bytes: number };
    };
    readonly logs: readonly { readonly log_fault_tolerance: number; readonly log_replication_factor: number }[];
    readonly processes: Readonly<Record<string, ProcessStatus>>;
    readonly qos?: { readonly worst_data_lag_storage_server: { readonly seconds: number } };
  };
}

export interface ProcessStatus {
  readonly address: string;
  readonly class_type: string;
  readonly excluded: boolean;
  readonly under_maintenance: boolean;
  readonly uptime_seconds: number;
  readonly locality: { readonly instance_id: string; readonly zoneid: string };
  readonly roles: readonly { readonly role: string; readonly stored_bytes?: number }[];
  readonly messages: readonly { readonly name: string }[];
}

/** A double database that is up: five storage servers, four logs and three stateless processes, each class in zones of its own numbers. */
export class FdbWorld {
  readonly clock = new VirtualClock();
  readonly database: FoundationDB;
  readonly mode: string;

  constructor(all: GivenFdb = {}) {
    const { seed = 1, mode = 'double', storage = 5, logs = 4, stateless = 3, coordinators = 3, ...given } = all;
    const addresses = Array.from({ length: coordinators }, (_, index) => this.process(`storage-${index + 1}`).address);
    this.mode = mode;
    this.database = new FoundationDB(
      fdbOptions({
        clock: this.clock,
        random: seededRandom(seed),
        connectionString: `orders:start@${addresses.join(',')}`,
        bytes: 24 * gibibyte,
        ...given,
      }),
    );
    for (const [role, count] of Object.entries({ storage, log: logs, stateless }))
      for (let number = 1; number <= count; number++) this.start(`${role}-${number}`);
  }

  /** Created, and recovered for the first time. */
  static async up(given: GivenFdb = {}): Promise<FdbWorld> {
    const world = new FdbWorld(given);
    await world.cli(`configure new ${world.mode} ssd`);
    await world.passMinutes(10);
    return world;
  }

  process(id: string): EngineProcess {
    return givenProcess(id);
  }

  id(id: string): ProcessId {
    return name(id);
  }

  start(id: string, given: Partial<EngineProcess> = {}): void {
    this.database.start({ ...this.process(id), ...given });
  }

  stop(...ids: readonly string[]): void {
    for (const id of ids) this.database.stop(this.id(id));
  }

  loseDisk(...ids: readonly string[]): void {
    for (const id of ids) this.database.loseDisk(name(`disk-${id}`));
  }

  passSeconds(count: number): Promise<void> {
    return this.clock.pass(seconds(count));
  }

  passMinutes(count: number): Promise<void> {
    return this.clock.pass(minutes(count));
  }

  /** Runs a command that needs no time. */
  async cli(exec: string, ...options: readonly string[]): Promise<CliResult> {
    const running = this.begin(exec, ...options);
    await this.clock.settle();
    if (running.result === undefined) throw new Error(`${exec} is still waiting`);
    return running.result;
  }

  /** Runs a command that may wait. */
  begin(exec: string, ...options: readonly string[]): { result?: CliResult } {
    const running: { result?: CliResult } = {};
    void this.database.fdbcli(['--exec', exec, ...options]).then((result) => (running.result = result));
    return running;
  }

  async status(): Promise<Status> {
    const { stdout } = await this.cli('status json');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the tests check is just this shape
    return JSON.parse(stdout) as Status;
  }

  async processStatus(id: string): Promise<ProcessStatus | undefined> {
    const { cluster } = await this.status();
    return Object.values(cluster.processes).find(({ locality }) => locality.instance_id === id);
  }

  /** `storage`, `log`...: sorted; undefined where the status does not have the process. */
  async roles(id: string): Promise<readonly string[] | undefined> {
    return (await this.processStatus(id))?.roles.map(({ role }) => role).sort();
  }

  async storedBytes(id: string): Promise<number> {
    const roles = (await this.processStatus(id))?.roles ?? [];
    return roles.reduce((sum, { stored_bytes = 0 }) => sum + stored_bytes, 0);
  }

  topology(): Topology {
    const view = this.database.topology();
    if (isUnreachable(view)) throw new Error(view.unreachable);
    return view;
  }

  seen(id: string): Process | undefined {
    return this.topology().processes.find((process) => process.id === id);
  }
}
