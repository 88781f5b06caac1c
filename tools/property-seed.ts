/** Properties play the same cases in every run, so that what fails once fails again. `npm run test:long` plays others, by this variable. */
import { configureGlobal, readConfigureGlobal } from 'fast-check';

configureGlobal({ ...readConfigureGlobal(), seed: Number(process.env['DROVER_PROPERTY_SEED'] ?? 1) });
