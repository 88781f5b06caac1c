import { deadline, seconds } from '../../kube/clock.ts';
import { checkClaimResize } from './claim-resize.ts';
import { at, isObject, isString, type JsonObject, type JsonValue, listAt, numberAt, objectAt, textAt } from './json.ts';
import { labelsOf, matchLabelSelector } from './label-selector.ts';
import { matchesConditions } from './match-conditions.ts';
import { checkQuota } from './quota.ts';
import { internalError, type StatusCause, StatusError } from './status-error.ts';
import type { WebhookCall, WebhookCaller } from './webhook-call.ts';
import type { World } from './world.ts';
import type { Admit, Operation, WriteRequest } from './write-request.ts';

const configurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

/** Everyone who may refuse a change after it was found valid: webhooks, then quotas. */
export class Admission {
  readonly #world: World;
  readonly #call: WebhookCaller | undefined;

  constructor(world: World, call: WebhookCaller | undefined) {
    this.#world = world;
    this.#call = call;
  }

  readonly admit: Admit = (operation, write, object, old) => {
    if (object !== undefined && old !== undefined) checkClaimResize(this.#world, write, object, old);
    const webhooks = this.#matching(operation, write, object, old);
    if (webhooks.length > 0) return this.#ask(webhooks, operation, write, object, old);
    if (operation === 'CREATE' && object !== undefined) checkQuota(this.#world, write, object);
    return undefined;
  };

  /** Webhooks are asked at the same time; the refusal of the first in the list counts. */
  async #ask(
    webhooks: readonly JsonObject[],
    operation: Operation,
    write: WriteRequest,
    object: JsonObject | undefined,
    old: JsonObject | undefined,
  ): Promise<void> {
    const review = this.#review(operation, write, object, old);
    const outcomes = await Promise.allSettled(webhooks.map((webhook) => this.#askOne(webhook, review, write)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    if (operation === 'CREATE' && object !== undefined) checkQuota(this.#world, write, object);
  }

  async #askOne(webhook: JsonObject, review: JsonObject, write: WriteRequest): Promise<void> {
    const name = textAt(webhook, 'name');
    const ignores = textAt(webhook, 'failurePolicy') === 'Ignore';
    let response: JsonObject;
    try {
      const answer = await this.#reach(webhook, review);
      response = objectAt(answer, 'response');
      if (textAt(response, 'uid') !== textAt(review, 'request', 'uid')) {
        throw new Error(
          `expected response.uid=${JSON.stringify(textAt(review, 'request', 'uid'))}, got ${JSON.stringify(textAt(response, 'uid'))}`,
        );
      }
    } catch (error) {
      if (ignores) return;
      const why = error instanceof Error ? error.message : String(error);
      throw internalError(`failed calling webhook "${name}": ${why}`);
    }
    write.warnings.push(
      ...listAt(response, 'warnings')
        .filter(isString)
        .filter((text) => !hasControlCharacter(text)),
    );
    if (response['allowed'] !== true) throw denial(name, objectAt(response, 'status'));
  }

  async #reach(webhook: JsonObject, review: JsonObject): Promise<JsonObject> {
    const call = callOf(webhook, review);
    const reach = this.#call;
    if (reach === undefined) throw new Error('failed to call webhook: no webhook can be reached from here');
    const limit = seconds(call.timeoutSeconds);
    const clock = deadline(
      this.#world.clock,
      limit,
      new AbortController().signal,
      () => new Error('context deadline exceeded'),
    );
    try {
      return await untilAborted(
        Promise.resolve(call).then((given) => reach(given, clock.signal)),
        clock.signal,
      );
    } catch (error) {
      const why = clock.signal.aborted
        ? 'context deadline exceeded'
        : error instanceof Error
          ? error.message
          : String(error);
      throw new Error(`failed to call webhook: ${why}`, { cause: error });
    } finally {
      clock.dispose();
    }
  }

  #matching(
    operation: Operation,
    write: WriteRequest,
    object: JsonObject | undefined,
    old: JsonObject | undefined,
  ): JsonObject[] {
    const stored = this.#world.store.collection(configurations);
    const found: JsonObject[] = [];
    for (const { object: configuration } of stored.entries()) {
      for (const webhook of listAt(configuration, 'webhooks')) {
        if (!isObject(webhook) || !this.#applies(webhook, operation, write, object, old)) continue;
        if (!matchesConditions(webhook, () => objectAt(this.#review(operation, write, object, old), 'request'), write))
          continue;
        found.push(webhook);
      }
    }
    return found;
  }

  #applies(
    webhook: JsonObject,
    operation: Operation,
    write: WriteRequest,
    object: JsonObject | undefined,
    old: JsonObject | undefined,
  ): boolean {
    if (!listAt(webhook, 'rules').some((rule) => ruleMatches(rule, operation, write))) return false;
    // The webhooks that judge webhooks are never asked about themselves, or nobody could get rid of a broken one.
    if (write.definition.storage === configurations) return false;
    const selectsObject = matchLabelSelector(at(webhook, 'objectSelector') ?? {});
    const objects = [object, old].filter((each) => each !== undefined);
    if (!objects.some((each) => selectsObject(labelsOf(each)))) return false;
    return this.#namespaceMatches(webhook, write, object ?? old);
  }

  #namespaceMatches(webhook: JsonObject, write: WriteRequest, object: JsonObject | undefined): boolean {
    const selects = matchLabelSelector(at(webhook, 'namespaceSelector') ?? {});
    if (write.definition.storage === 'namespaces') return selects(labelsOf(object ?? {}));
    if (!write.definition.namespaced) return true;
    const namespace = this.#world.store.collection('namespaces').get('', write.namespace);
    return namespace !== undefined && selects(labelsOf(namespace.object));
  }

  #review(
    operation: Operation,
    write: WriteRequest,
    object: JsonObject | undefined,
    old: JsonObject | undefined,
  ): JsonObject {
    const { definition, subresource, user } = write;
    const kind =
      subresource === 'eviction'
        ? { group: 'policy', version: 'v1', kind: 'Eviction' }
        : {
            group: definition.group,
            version: definition.version,
            kind: subresource === 'binding' ? 'Binding' : definition.kind,
          };
    const resource = { group: definition.group, version: definition.version, resource: definition.plural };
    const part = subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
    const optionsKind =
      operation === 'DELETE' ? 'DeleteOptions' : operation === 'UPDATE' ? 'UpdateOptions' : 'CreateOptions';
    return {
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid: this.#world.uid(),
        kind,
        resource,
        requestKind: kind,
        requestResource: resource,
        ...part,
        name: write.name || textAt(object, 'metadata', 'name'),
        ...(definition.namespaced && { namespace: write.namespace }),
        operation,
        userInfo: { username: user.username, groups: [...user.groups] },
        object: object ?? null,
        oldObject: old ?? null,
        dryRun: write.dryRun,
        options: { kind: optionsKind, apiVersion: 'meta.k8s.io/v1', ...(write.dryRun && { dryRun: ['All'] }) },
      },
    };
  }
}

function ruleMatches(rule: JsonValue, operation: Operation, { definition, subresource }: WriteRequest): boolean {
  const has = (name: string, value: string) => {
    const list = listAt(rule, name);
    return list.includes('*') || list.includes(value);
  };
  const scope = textAt(rule, 'scope');
  if (scope === 'Cluster' && definition.namespaced) return false;
  if (scope === 'Namespaced' && !definition.namespaced) return false;
  if (!has('operations', operation) || !has('apiGroups', definition.group) || !has('apiVersions', definition.version))
    return false;
  const wanted =
    subresource === ''
      ? [definition.plural, '*', '*/*']
      : [`${definition.plural}/${subresource}`, `${definition.plural}/*`, `*/${subresource}`, '*/*'];
  return listAt(rule, 'resources').some((each) => isString(each) && wanted.includes(each));
}

function callOf(webhook: JsonObject, review: JsonObject): WebhookCall {
  const config = objectAt(webhook, 'clientConfig');
  const service = config['service'];
  return {
    name: textAt(webhook, 'name'),
    url: textAt(config, 'url') || undefined,
    service: isObject(service)
      ? {
          namespace: textAt(service, 'namespace'),
          name: textAt(service, 'name'),
          path: textAt(service, 'path'),
          port: numberAt(service, 'port') ?? 443,
        }
      : undefined,
    caBundle: textAt(config, 'caBundle'),
    timeoutSeconds: numberAt(webhook, 'timeoutSeconds') ?? 10,
    review,
  };
}

/** The refusal of a webhook as the API server passes it on: its own words, with who said them in front. */
function denial(name: string, status: JsonObject): StatusError {
  const by = `admission webhook "${name}" denied the request`;
  const words = textAt(status, 'message') || textAt(status, 'reason');
  const code = numberAt(status, 'code') ?? 0;
  const details = at(status, 'details');
  return new StatusError(
    code < 400 ? 400 : code,
    textAt(status, 'reason'),
    words === '' ? `${by} without explanation` : `${by}: ${words}`,
    detailsOf(details),
  );
}

function detailsOf(details: JsonValue | undefined): StatusError['details'] {
  if (!isObject(details)) return undefined;
  const causes = listAt(details, 'causes').map(
    (cause): StatusCause => ({
      reason: textAt(cause, 'reason'),
      message: textAt(cause, 'message'),
      field: textAt(cause, 'field'),
    }),
  );
  const retry = numberAt(details, 'retryAfterSeconds');
  return {
    name: textAt(details, 'name'),
    group: textAt(details, 'group'),
    kind: textAt(details, 'kind'),
    causes,
    ...(retry !== undefined && { retryAfterSeconds: retry }),
  };
}

/** HTTP has no place for such a warning, and the real server drops it without a word. */
// oxlint-disable-next-line no-control-regex
const hasControlCharacter = (text: string) => /[\u0000-\u001f\u007f]/.test(text);

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
