import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { readBody } from '../../kube/response.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import type { WebhookCall, WebhookCaller } from './webhook-call.ts';

/** Where a Service of the embedded world really listens. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

export interface HttpsWebhookOptions {
  /** Finds who answers for a Service; undefined where nobody does. @default no Service can be reached, only URLs */
  readonly resolveService?: (service: NonNullable<WebhookCall['service']>) => ServiceAddress | undefined;
}

/** Calls webhooks over the network as the real API server does: a POST of the review, trusting only the given authority. */
export function httpsWebhookCaller(options: HttpsWebhookOptions = {}): WebhookCaller {
  return (call, signal) => {
    const target = targetOf(call, options);
    return exchange(call, target, signal);
  };
}

interface Target {
  readonly url: URL;
  /** The name that the certificate must carry. */
  readonly servername: string;
}

function targetOf({ url, service, timeoutSeconds }: WebhookCall, { resolveService }: HttpsWebhookOptions): Target {
  if (url !== undefined) {
    const parsed = new URL(url);
    parsed.searchParams.set('timeout', `${timeoutSeconds}s`);
    return { url: parsed, servername: parsed.hostname };
  }
  if (service === undefined) throw new Error('the webhook has neither a URL nor a service');
  const address = resolveService?.(service);
  if (address === undefined) throw new Error(`service "${service.name}" not found`);
  const path = service.path === '' || service.path.startsWith('/') ? service.path : `/${service.path}`;
  const parsed = new URL(`https://${address.host}:${address.port}${path}?timeout=${timeoutSeconds}s`);
  return { url: parsed, servername: `${service.name}.${service.namespace}.svc` };
}

function exchange(
  { review, caBundle }: WebhookCall,
  { url, servername }: Target,
  signal: AbortSignal,
): Promise<JsonObject> {
  const options: RequestOptions = {
    method: 'POST',
    signal,
    servername,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'kube-apiserver-admission',
    },
    ...(caBundle !== '' && { ca: Buffer.from(caBundle, 'base64') }),
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
    const request = send(url, options, (response) => {
      readBody(response).then((bytes) => {
        const text = Buffer.from(bytes).toString('utf8');
        const answer = parseJson(text);
        if (response.statusCode !== 200)
          reject(new Error(`the server answered ${response.statusCode}: ${text.slice(0, 200)}`));
        else if (isObject(answer)) resolve(answer);
        else reject(new Error('the server answered with something that is no AdmissionReview'));
      }, reject);
    });
    request.on('error', (error) => reject(new Error(`Post "${url.href}": ${error.message}`, { cause: error })));
    request.end(JSON.stringify(review));
  });
}
