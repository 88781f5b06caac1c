import type { Millis } from '../../kube/clock.ts';
import { parseKey } from '../../kube/object.ts';
import { duration, moment } from '../../model/phrases.ts';
import type { Instant } from '../../model/time.ts';
import { instant, seconds } from '../../model/time.ts';
import type { Found } from '../lock/desk.ts';

/** That what was last decided about a pod is too old to go by: since when, and where to look if that lasts. */
export function tooOld({ guarded, guard, age }: Found & { readonly age: Millis }, now: Instant): string {
  const [kind = '', key = ''] = guard.split(' ');
  const { namespace, name } = parseKey(key);
  const heard = moment(instant(Math.floor((now - age) / 1000) * 1000));
  const look = `kubectl describe ${kind.toLowerCase()} ${name} -n ${namespace}`;
  return `drover: ${guarded.pod.name} stays: nothing was heard of ${guard} since ${heard}, for ${duration(seconds(age / 1000))}; it is being looked at again; if this lasts: ${look}, and the log of Drover`;
}
