import { playContract } from './played-contract.js';

interface Statement {
  bind(...values: (string | number)[]): { all(): Promise<{ results: object[] }> };
  all(...values: (string | number)[]): Promise<{ results: object[] }>;
}

interface Env {
  readonly DB: { prepare(text: string): Statement };
}

/** A Worker that plays the contract on its own D1 database. */
// biome-ignore lint/style/noDefaultExport: the default export of its main module is the Worker.
export default {
  async fetch(_request: Request, { DB }: Env): Promise<Response> {
    const rows = async (text: string, values: (string | number)[]) =>
      (
        await DB.prepare(text)
          .bind(...values)
          .all()
      ).results;
    return Response.json(await playContract(DB, rows));
  },
};
