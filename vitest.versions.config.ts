import { defineConfig } from 'vitest/config';
import proof, { VERSIONS } from './vitest.proof.config.js';

/** `npm run test:versions`: the longest files of the proof. */
export default defineConfig({
  ...proof,
  test: { ...proof.test, include: VERSIONS, exclude: ['**/node_modules/**'] },
});
