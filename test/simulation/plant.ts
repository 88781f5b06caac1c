/**
 * The test-only seam for planted bugs: `node --import ./test/simulation/plant.ts ...` with the name of a bug in DROVER_PLANTED_BUG changes one
 * place of one source file as it is loaded, in every thread. Nothing of it is in the product.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { applied } from './planted-bug.ts';
import { plantedBugs } from './planted-bugs.ts';

const wanted = process.env['DROVER_PLANTED_BUG'];
const bug = plantedBugs.find(({ name }) => name === wanted);
if (bug === undefined) throw new Error(`there is no planted bug ${wanted}`);
const file = new URL(`../../${bug.file}`, import.meta.url);

registerHooks({
  load(url, context, next) {
    if (url !== file.href) return next(url, context);
    return { format: 'module-typescript', source: applied(bug, readFileSync(file, 'utf8')), shortCircuit: true };
  },
});
