import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AdapterCase } from './contract/case.js';
import { adapterContract } from './contract/contract.js';
import type { Need, Platform } from './contract/platform.js';
import { PLATFORMS } from './contract/platforms.js';

/** Whether a platform has what a case needs. */
const applies = ({ lacks }: Platform, { needs }: AdapterCase) => needs.every((need) => lacks[need] === undefined);

afterEach(() => {
  vi.restoreAllMocks();
});

for (const platform of PLATFORMS) {
  describe(`on ${platform.title}`, () => {
    for (const one of adapterContract) if (applies(platform, one)) test(one.title, () => one.play(platform));
  });
}

test('every title is of one case', () => {
  expect(new Set(adapterContract.map(({ title }) => title)).size).toBe(adapterContract.length);
});

test('a case that is left out on one platform is played on another, and each reason leaves out a case', () => {
  const needed = new Set<Need>(adapterContract.flatMap(({ needs }) => needs));
  for (const one of adapterContract) expect(PLATFORMS.some((platform) => applies(platform, one))).toBe(true);
  for (const { lacks } of PLATFORMS) expect([...needed]).toEqual(expect.arrayContaining(Object.keys(lacks)));
});
