import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { Millis, MonotonicMillis } from '../../kube/clock.ts';
import { elapsed, millis, seconds } from '../../kube/clock.ts';
import type { ControllerContext } from '../controller.ts';
import { nodeDrains } from '../lock/begun-drains.ts';
import type { ReadDrain } from './drain.ts';
import { samePhases, sameStatus } from './status.ts';
import type { Teller } from './teller.ts';

/** A status that only counts down is written so often and no more. */
const interval = seconds(10);

/** Writes the status of drains: at once when somebody goes a step further, otherwise at most every ten seconds, and never to say the same again. */
export class Record {
  readonly #context: Pick<ControllerContext, 'client' | 'clock'>;
  readonly #teller: Pick<Teller, 'tell'>;
  readonly #written = new Map<string, MonotonicMillis>();

  constructor(context: Pick<ControllerContext, 'client' | 'clock'>, teller: Pick<Teller, 'tell'>) {
    this.#context = context;
    this.#teller = teller;
  }

  /** Writes it if it is worth it. The drain as it is now, and how long until what was not worth it yet will be; undefined: nothing is left to write. */
  async write(
    read: ReadDrain,
    status: NodeDrainStatus,
    signal: AbortSignal,
  ): Promise<{ readonly read: ReadDrain; readonly due: Millis | undefined }> {
    if (sameStatus(status, read.status)) return { read, due: undefined };
    const { client, clock } = this.#context;
    const { name, uid, resourceVersion } = read;
    const written = this.#written.get(name);
    const wait = written === undefined ? 0 : interval - elapsed(clock, written);
    const isStep = !samePhases(status, read.status);
    if (!isStep && wait > 0) return { read, due: millis(wait) };
    const body = { metadata: { uid, resourceVersion }, status };
    const options = { signal, subresource: 'status', fieldManager: 'drover' };
    const { metadata } = await client.patch(nodeDrains, { name }, { type: 'merge', body }, options);
    // What follows from a step is worth a write of its own.
    if (!isStep) this.#written.set(name, clock.monotonic());
    this.#teller.tell(read, status);
    return { read: { ...read, resourceVersion: metadata.resourceVersion ?? '', status }, due: undefined };
  }

  forget(drain: string): void {
    this.#written.delete(drain);
  }
}
