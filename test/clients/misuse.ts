import { executeWithLock, type LockStore } from 'single-execution';
import { expect, onTestFinished } from 'vitest';
import { patientStore } from '../support/contract-harness.js';

/*
 * What becomes of a client that is not one, or that does not answer with rows, for each database.
 */

export const RAN = 'executed, released';
export const INSTEAD = expect.stringMatching(
  /^INVALID_REQUEST: the client answered a (read|write) with .* instead of /,
);

/** Closes what a test has opened, at its end. */
export const finally_ = (close: () => unknown) => onTestFinished(async () => void (await close()));

/** What a client passes to the work of a transaction, which has ended by then. */
export async function inside<T>(begin: (work: (transaction: T) => Promise<void>) => Promise<unknown>): Promise<T> {
  const passed: T[] = [];
  await begin(async (transaction) => void passed.push(transaction));
  return passed[0] as T;
}

/** Objects that are refused by this name. */
export type Foreign = Readonly<Record<string, () => Promise<readonly unknown[]>>>;

type Orms = Pick<typeof import('./postgres-orms.js'), `connected${string}` & keyof typeof import('./postgres-orms.js')>;

/** The objects of ORMs and query builders over a database with a server. Each is closed at the end of its test. */
export const objectsOfOrms = (orms: Orms, url: string): Foreign => ({
  async "TypeORM's"() {
    const dataSource = await orms.connectedTypeORM(url);
    const runner = dataSource.createQueryRunner();
    finally_(() => runner.release().then(() => dataSource.destroy()));
    return [dataSource, dataSource.manager, runner, await inside((work) => dataSource.transaction(work))];
  },
  async "Sequelize's"() {
    const sequelize = await orms.connectedSequelize(url);
    finally_(() => sequelize.close());
    return [sequelize];
  },
  async "Knex's"() {
    const knex = await orms.connectedKnex(url);
    finally_(() => knex.destroy());
    return [knex, await inside((work) => knex.transaction(work))];
  },
  async "Kysely's"() {
    const db = await orms.connectedKysely(url);
    finally_(() => db.destroy());
    return [
      db,
      await inside((work) => db.transaction().execute(work)),
      await inside((work) => db.connection().execute(work)),
    ];
  },
  async "MikroORM's"() {
    const orm = await orms.connectedMikroORM(url);
    finally_(() => orm.close());
    return [orm, orm.em, orm.em.fork(), orm.em.getConnection(), orm.em.getDriver()];
  },
});

export interface Misuse<Client> {
  /** What happens at the creation of a store. */
  refusal(client: unknown): string;
  /** What happens with each object, if it is not to be refused as `name`, with what to pass instead. */
  others(name: string, remedy: string, objects: readonly unknown[]): string[];
  /** Runs twice, because the first run of a name inserts and the second one updates. */
  twoRuns(client: Client): Promise<string[]>;
}

export function misuseOf<Client>(storeOver: (options: { readonly client: Client }) => LockStore): Misuse<Client> {
  let names = 0;
  const refusal = (client: unknown) => {
    try {
      storeOver({ client: client as Client });
      return 'taken';
    } catch (error) {
      return String(error);
    }
  };
  return {
    refusal,
    others: (name, remedy, objects) =>
      objects.map(refusal).filter((said) => said !== `TypeError: client is ${name}: ${remedy}`),
    async twoRuns(client) {
      const options = {
        name: `misuse ${names++}`,
        store: patientStore(storeOver({ client })),
        lockAtMostFor: '1m',
        observers: [],
      };
      const run = () =>
        executeWithLock(() => 'ran', options).then(
          (outcome) => (outcome.status === 'executed' ? `executed, ${outcome.release}` : outcome.reason),
          ({ code, message }) => `${code}: ${message.replace(/.* failed: /, '')}`,
        );
      return [await run(), await run()];
    },
  };
}
