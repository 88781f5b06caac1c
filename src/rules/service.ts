import type { ProcessId } from '../model/ids.ts';
import { isTrue, unknown } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Process } from '../model/topology.ts';
import type { Finding, Reliance } from './finding.ts';
import { doubted, fails, holds, notRelied, unknownWhether } from './finding.ts';
import type { Question } from './question.ts';
import { labelOf } from './question.ts';
import { rulesFor } from './role-table.ts';
import { standingOf } from './standing.ts';
import type { Survey } from './survey.ts';

/** Another process of the role, or of a role that stands in for it, serves: it stands and is not being emptied itself. */
export function restOfRoleServes({ survey, group, own }: Question): Finding {
  const standIns = rulesFor(survey.snapshot.spec.engine, group.role)?.standIns ?? [];
  const services = servicesOf(survey);
  let doubt: string | undefined;
  for (const role of [group.role, ...standIns]) {
    const { serving = none, doubtful = nobody } = services.get(role) ?? {};
    for (const process of serving) if (!own.has(process)) return holds;
    for (const [process, missing] of doubtful) {
      if (!own.has(process) && (doubt === undefined || missing < doubt)) doubt = missing;
    }
  }
  if (doubt !== undefined) return unknownWhether(doubt);
  return fails(reasons.restOfRoleDown({ group: group.id, role: group.role }));
}

interface Service {
  readonly serving: Set<ProcessId>;
  readonly doubtful: Map<ProcessId, string>;
}

const none: ReadonlySet<ProcessId> = new Set();
const nobody: ReadonlyMap<ProcessId, string> = new Map();

/** The same for every group of a survey. */
const remembered = new WeakMap<Survey, ReadonlyMap<string, Service>>();

function servicesOf(survey: Survey): ReadonlyMap<string, Service> {
  const known = remembered.get(survey);
  if (known !== undefined) return known;
  const services = new Map<string, Service>();
  for (const process of survey.engine.topology?.processes ?? []) {
    let service = services.get(process.role);
    if (service === undefined) {
      service = { serving: new Set(), doubtful: new Map() };
      services.set(process.role, service);
    }
    const serves = servesAs(survey, process);
    if (serves.is === 'yes') service.serving.add(process.id);
    if (serves.is === 'unknown') service.doubtful.set(process.id, serves.missing);
  }
  remembered.set(survey, services);
  return services;
}

function servesAs(survey: Survey, { id, excluded }: Process): Reliance {
  if (isTrue(excluded)) return notRelied('being emptied');
  const standing = standingOf(survey, id);
  if (standing.is !== 'yes' || excluded !== unknown) return standing;
  return doubted(`whether ${labelOf(survey, id)} is excluded`);
}
