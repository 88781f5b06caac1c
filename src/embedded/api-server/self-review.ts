import { type Answer, jsonAnswer } from './answer.ts';
import { isObject, parseJson } from './json.ts';
import type { ServerRequest } from './server-request.ts';
import type { UserInfo } from './write-request.ts';

const accessReview = /^\/apis\/authorization\.k8s\.io\/v1\/selfsubject(access|rules)reviews(\?|$)/;
const selfReview = /^\/apis\/authentication\.k8s\.io\/v1\/selfsubjectreviews(\?|$)/;

/** Answers "may I" with yes, and "who am I" with the name: nobody is refused here. Undefined for every other request. */
export function reviewAccess(
  { method, path, body }: ServerRequest,
  user: UserInfo,
  now: () => string,
): Answer | undefined {
  if (method !== 'POST') return undefined;
  const kind = accessReview.exec(path)?.[1];
  if (kind === undefined) return selfReview.test(path) ? whoAmI(user, now()) : undefined;
  const given = parseJson(body ?? '');
  const asked = isObject(given) ? given : {};
  if (kind === 'access') return jsonAnswer(201, { ...asked, status: { allowed: true } });
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
  const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: ['*'] }];
  return jsonAnswer(201, { ...asked, status: { resourceRules, nonResourceRules, incomplete: false } });
}

const whoAmI = (user: UserInfo, now: string): Answer =>
  jsonAnswer(201, {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: now },
    status: { userInfo: { username: user.username, groups: [...user.groups] } },
  });
