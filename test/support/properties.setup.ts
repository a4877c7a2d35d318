import fc from 'fast-check';

/*
 * Properties try the same values in every run, so that a failure is of the change at hand.
 * PROPERTY_SEED=N tries others: the nightly workflow gives a new one each night.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
