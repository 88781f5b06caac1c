import type { PodHooks, PodProcess } from '../kubelet/pod-hooks.ts';

/** Keeps the books of processes and disks as a model engine would, and throws where the world does what no world can do. */
export class ProcessLedger implements PodHooks {
  readonly #running = new Map<number, PodProcess>();
  readonly #runs = new Set<number>();

  onPodStarted(process: PodProcess): void {
    if (this.#runs.has(process.run)) throw new Error(`${process.name} started twice as run ${process.run}`);
    for (const other of this.#running.values()) {
      if (other.uid === process.uid) throw new Error(`${process.name} runs already`);
      const shared = other.disks.find((disk) => process.disks.includes(disk));
      if (shared !== undefined)
        throw new Error(`${process.name} got ${shared}, which ${other.name} on ${other.node} has`);
    }
    this.#runs.add(process.run);
    this.#running.set(process.run, process);
  }

  onPodStopped(process: PodProcess): void {
    if (!this.#running.delete(process.run)) throw new Error(`${process.name} stopped without running`);
  }
}
