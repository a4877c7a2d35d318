import type { PostgresClient } from 'single-execution/postgres';
import { DRIVERS } from './postgres-drivers.js';
import { ORMS } from './postgres-orms.js';
import type { SqlClient } from './sql-client.js';

/** Every client of Postgres that the page of the store names, in its newest and its oldest version. */
export const POSTGRES_CLIENTS: readonly SqlClient<PostgresClient>[] = [...DRIVERS, ...ORMS];
