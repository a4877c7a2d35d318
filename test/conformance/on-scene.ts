import { type Scene, setScene } from '../../src/testing/contract/stage/scene.js';
import type { Scenario } from './scenario.js';

/** A scenario on the scene of our own contract for stores. */
export function onScene(name: string, play: (scene: Scene) => Promise<unknown>): Scenario {
  return {
    name,
    async play(ground) {
      await play(setScene(ground.harness()));
    },
  };
}

/** Whether another attempt is granted. Such a grant is released at once. */
export async function isFree({ acquire, claim, release }: Scene): Promise<boolean> {
  const result = await acquire(claim());
  if (result.status === 'acquired') await release(result.lease);
  return result.status === 'acquired';
}
