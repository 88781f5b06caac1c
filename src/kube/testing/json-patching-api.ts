import type { JsonPatchOperation } from '../client-options.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { FakeApi } from './fake-api.ts';

/** The fake API server, with JSON patches of `test`, `add` and `replace`. They are served, and stand in `served`, as a PUT of the result. */
export class JsonPatchingApi extends FakeApi {
  override send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    const delivery = this.deliver(request);
    if (request.headers['content-type'] !== 'application/json-patch+json' || delivery.refusal !== undefined) {
      return this.sendBy(delivery, request, signal);
    }
    const object = this.at(request.path);
    const operations: readonly JsonPatchOperation[] = JSON.parse(request.body ?? '[]');
    if (object === undefined || operations.every((operation) => apply(object, operation))) {
      return this.sendBy(delivery, { ...request, method: 'PUT', body: JSON.stringify(object) }, signal);
    }
    return this.sendBy({ ...delivery, refusal: { status: 422, reason: 'Invalid' } }, request, signal);
  }
}

function apply(object: object, operation: JsonPatchOperation): boolean {
  const steps = operation.path.slice(1).split('/');
  const last = steps.pop() ?? '';
  const parent = steps.reduce<object>((place, step) => Object(Reflect.get(place, step)), object);
  if (operation.op === 'remove') return Reflect.deleteProperty(parent, last);
  return operation.op === 'test'
    ? Reflect.get(parent, last) === operation.value
    : Reflect.set(parent, last, operation.value);
}
