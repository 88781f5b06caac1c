import { agreementReasons } from './reasons/agreement.ts';
import { dataReasons } from './reasons/data.ts';
import { drainReasons } from './reasons/drain.ts';
import { leavingReasons } from './reasons/leaving.ts';
import { removalReasons } from './reasons/removal.ts';
import { replacementReasons } from './reasons/replacement.ts';
import { setUpReasons } from './reasons/set-up.ts';

/** Every reason that Drover can give. Status, webhook, command line and dashboard know no others. */
export const reasons = {
  ...setUpReasons,
  ...dataReasons,
  ...agreementReasons,
  ...replacementReasons,
  ...removalReasons,
  ...leavingReasons,
  ...drainReasons,
};
