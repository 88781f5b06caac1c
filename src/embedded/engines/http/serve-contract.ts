import { verbRequestSchema } from '../../../engines/http/contract.schema.ts';
import type { ContractVerb } from '../../../engines/http/contract.ts';
import { contractPaths, contractVerbs, contractVersion } from '../../../engines/http/contract.ts';
import { ConnectionLost } from '../../../kube/errors.ts';
import type { Transport, TransportRequest } from '../../../kube/transport.ts';
import type { ProcessId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import { isUnreachable } from '../../../model/topology.ts';
import { EngineRefusal, EngineSilence } from '../model-engine.ts';
import type { ReplicatedStore } from '../replicated-store/replicated-store.ts';
import { contractDocument } from './contract-document.ts';

interface Answer {
  readonly status: number;
  readonly body: object;
}

const told: { readonly [verb in ContractVerb]: (store: ReplicatedStore, process: ProcessId) => void } = {
  'hand-off': (store, process) => store.handOff(process),
  evacuate: (store, process) => store.evacuate(process),
  'cancel-evacuation': (store, process) => store.cancelEvacuation(process),
  forget: (store, process) => store.forget(process),
};

/** The replicated store behind the http contract, without a network: what a request does is done before its answer is there. */
export function contractTransport(store: ReplicatedStore): Transport {
  return {
    async send(request, signal) {
      signal.throwIfAborted();
      const { status, body } = answered(store, request);
      const headers = { 'content-type': 'application/json' };
      return { status, headers, warnings: [], body: oneChunk(JSON.stringify(body)) };
    },
    close() {},
  };
}

function answered(store: ReplicatedStore, request: TransportRequest): Answer {
  try {
    return answerOf(store, request);
  } catch (error) {
    if (error instanceof EngineRefusal) return { status: 409, body: { message: error.message } };
    if (error instanceof EngineSilence) throw new ConnectionLost(error.message, { sent: true, cause: error });
    throw error;
  }
}

function answerOf(store: ReplicatedStore, { method, path, body = '' }: TransportRequest): Answer {
  const topology = store.topology();
  if (isUnreachable(topology)) throw new EngineSilence(topology.unreachable);
  if (path === contractPaths.health)
    return { status: 200, body: { contract: contractVersion, verbs: contractVerbs, system: 'the replicated store' } };
  if (path === contractPaths.topology) return { status: 200, body: contractDocument(topology, store.jobs()) };
  const verb = contractVerbs.find((one) => contractPaths.verb(one) === path);
  if (verb === undefined || method !== 'POST') return { status: 404, body: { message: `there is no ${path}` } };
  for (const process of verbRequestSchema.parse(JSON.parse(body)).processes) told[verb](store, name(process));
  return { status: 202, body: {} };
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
