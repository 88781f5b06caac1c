import { moment } from '../phrases.ts';
import { reason } from '../reason.ts';
import { instant } from '../time.ts';

// An interface would not do: only a type alias can be evidence.
type SetUp = { readonly subject: string; readonly why: string; readonly since: number };

const waited = ({ subject, since }: SetUp): string =>
  `${subject} has waited to be set up since ${moment(instant(since))}`;

/** Why a new database is not there yet. */
export const setUpReasons = {
  coordinatorsNotChosen: reason('CoordinatorsNotChosen', {
    meaning:
      'A new database is not created yet: too few zones have a ready pod that can be a coordinator. A cluster that comes up has it for a moment.',
    says: (evidence: SetUp) => `${waited(evidence)}: ${evidence.why}`,
    liftedBy:
      'ready pods in more zones: more nodes, a faultDomain of which there are more, or a higher count of a role',
    example: {
      subject: 'db/orders',
      why: 'a new database needs 3 coordinators in 3 zones, by kubernetes.io/hostname; zones with a ready pod of log, storage: 2 (n1, n2)',
      since: Date.UTC(2026, 10, 15),
    },
  }),
  setUpUnanswered: reason('SetUpUnanswered', {
    meaning:
      'A new database is not created yet: its engine does not answer. A cluster that comes up has it for a moment.',
    says: (evidence: SetUp) => `${waited(evidence)}: its engine does not answer: ${evidence.why}`,
    liftedBy: 'the engine answering',
    example: {
      subject: 'db/orders',
      why: 'fdbcli runs inside a pod of the cluster, and none of them is ready: it is tried again when one is',
      since: Date.UTC(2026, 10, 15),
    },
  }),
  setUpRefused: reason('SetUpRefused', {
    meaning: 'The engine answers, and refuses to create the new database. It is asked again every few seconds.',
    says: (evidence: SetUp) => `${waited(evidence)}: its engine refuses to create the database: ${evidence.why}`,
    liftedBy: 'what the engine complains of being put right; it is asked again every few seconds',
    example: {
      subject: 'db/orders',
      why: 'configure: there are not enough processes for the redundancy mode',
      since: Date.UTC(2026, 10, 15),
    },
  }),
};
