import { beforeEach } from 'vitest';
import { lastWords } from '../support/last-words.js';

/* Adds what processes have written so far to the error of a test or a hook that waits for them and times out. */

beforeEach(({ signal }) => {
  // The reason is the error with which the test then fails.
  signal.addEventListener('abort', () => {
    if (signal.reason instanceof Error) signal.reason.message += lastWords();
  });
});
