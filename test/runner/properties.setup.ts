import fc from 'fast-check';

/*
 * Property tests try the same values in every run, so that a failure comes from the change at hand. PROPERTY_SEED=N
 * tries other values; the nightly workflow gives a new seed each night.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
