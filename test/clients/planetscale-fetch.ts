import type { Pool } from 'mysql2/promise';

/*
 * PlanetScale's service cannot run here. This `fetch` answers its client as the service does, by the code of the client's
 * own `parse`, and runs the statements on a real server.
 */

type Fetch = (url: string, init?: { readonly body?: string | undefined }) => Promise<Response>;

interface Refused {
  readonly message: string;
  readonly errno?: number;
  readonly sqlState?: string;
}

export function planetscaleFetch(pool: Pool): Fetch {
  return async (_, init) => {
    const { query } = JSON.parse(init?.body ?? '{}') as { readonly query: string };
    try {
      const [answer, fields] = await pool.query({ sql: query, typeCast: (field) => field.string(), rowsAsArray: true });
      const result = Array.isArray(answer)
        ? {
            fields: fields.map(({ name }) => ({ name, type: 'VARCHAR' })),
            rows: (answer as (string | null)[][]).map(encoded),
          }
        : // The service leaves out a zero.
          { ...(answer.affectedRows > 0 && { rowsAffected: String(answer.affectedRows) }) };
      return Response.json({ session: null, result, timing: 0.001 });
    } catch (error) {
      const { message, errno, sqlState } = error as Refused;
      const words = `target: jobs.-.primary: vttablet: rpc error: ${message} (errno ${errno}) (sqlstate ${sqlState})`;
      return Response.json({ session: null, error: { code: 'UNKNOWN', message: words } });
    }
  };
}

function encoded(row: readonly (string | null)[]) {
  const bytes = row.map((value) => (value === null ? undefined : Buffer.from(value)));
  return {
    lengths: bytes.map((value) => String(value?.length ?? -1)),
    values: Buffer.concat(bytes.filter((value) => value !== undefined)).toString('base64'),
  };
}
