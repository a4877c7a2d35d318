import type { ChooseFault, StoreAddress } from '../support/backends/backend.js';
import { backendOf, freshPlace, type Kind } from '../support/backends.js';

/** A real store behind a network that strikes some requests. `direct` leads past that network. */
export interface BadNetwork {
  readonly address: StoreAddress;
  readonly direct: StoreAddress;
  stop(): Promise<void>;
}

export async function startBadNetwork(kind: Kind, choose: ChooseFault): Promise<BadNetwork> {
  const engine = await backendOf(kind).start();
  const direct = await freshPlace(engine);
  const network = await engine.network?.(choose);
  if (!network) throw new Error(`${kind} has no network: ${backendOf(kind).lacks.network}`);
  return {
    address: { ...direct, url: network.url },
    direct,
    async stop() {
      await network.stop();
      await engine.stop();
    },
  };
}
