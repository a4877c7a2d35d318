/** The networks that are measured, as round trips between a client and its server. Zero is loopback. */
export const ROUND_TRIPS_MS = [0, 1, 3] as const;
