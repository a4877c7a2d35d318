import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';
import {
  type DatabaseErrors,
  type Failed,
  type Meaning,
  NO_DATABASE,
  NO_TABLE,
  NOT_NOW,
  noRight,
  OTHER_COLUMNS,
  READ_ONLY_SERVER,
  REFUSED_ROW,
  REFUSED_STATEMENT,
  TOO_MANY_CONNECTIONS,
  wrongLogin,
} from '../sql/sql-errors.js';

const means = (code: Meaning['code'], why: string): Meaning => ({ code, why: () => why });

/** The meanings of the numbers of MySQL and MariaDB, and of the codes of clients. */
const MEANINGS: DatabaseErrors['meanings'] = [
  [/^(1044|1142|1143)$/, { code: 'ACCESS_DENIED', why: rightOf }],
  [/^(1227|1370)$/, means('ACCESS_DENIED', 'no right to this database: GRANT the user of this client its rights')],
  [/^(1045|1698|1820|1862|3118|4151)$/, { code: 'ACCESS_DENIED', why: wrongLogin }],
  [
    /^1130$/,
    means('ACCESS_DENIED', 'MySQL lets no user in from this host: create the user of this client for this host'),
  ],
  [/^(1146|1051)$/, NO_TABLE],
  [/^1049$/, NO_DATABASE],
  [/^(1059|1102|1103|1300)$/, means('INVALID_REQUEST', 'MySQL does not accept this name: correct table')],
  [
    /^1665$/,
    means(
      'INVALID_REQUEST',
      'the server logs statements, which its replicas would not apply: set binlog_format to ROW or MIXED',
    ),
  ],
  [/^1046$/, means('INVALID_REQUEST', "no database is chosen: name it for the client, or in table: 'jobs.locks'")],
  [/^1054$/, OTHER_COLUMNS],
  // 1644: a trigger raised an error. 4025 and 3819: a check constraint. 1347 to 1449: a view.
  [
    /^(1048|1062|1136|1264|1288|1292|1364|1366|1406|1442|1347|1356|1394|1395|1449|1451|1452|1471|1526|1644|1906|3105|3819|3140|4025)$/,
    REFUSED_ROW,
  ],
  [/^(1290|1792|1836)$/, READ_ONLY_SERVER],
  [/^(1040|1203|1226)$/, TOO_MANY_CONNECTIONS],
  // Each of these has rolled the statement back: a lock that was waited for, a deadlock, a time limit, KILL QUERY, a
  // prepared statement that the server has no room for or has to prepare again.
  [/^(1020|1205|1213|1317|1412|1461|1615|1969|3024|3572)$/, NOT_NOW],
  [/^(1064|1149|1175|1193|1210|1231|1235|1295|1305)$/, REFUSED_STATEMENT],
  [
    /^(HANDSHAKE_NO_SSL_SUPPORT|HANDSHAKE_SSL_ERROR|45023|3159)$/,
    means('INVALID_REQUEST', 'TLS with MySQL failed: set ssl of the client to what the server needs'),
  ],
  [
    /^(1251|1275|1524)$/,
    means('INVALID_REQUEST', 'the client cannot log in as this user does: update it, or change the plugin of the user'),
  ],
];

/**
 * Names the missing right. MySQL does not tell a user without rights that the table is missing, and it refuses a GRANT on
 * a missing table unless the same statement grants CREATE.
 */
function rightOf(failed: Failed): string {
  const { verb, table } = failed;
  const user = 'the user of this client';
  if (verb === 'CREATE')
    return `no right to make table ${table}: GRANT CREATE ON ${table} TO ${user}, or let another user make it`;
  return `${noRight(failed, user)}; if the table does not exist yet, GRANT CREATE in the same statement`;
}

/** The numbers of the server: those of MySQL and of MariaDB. Clients have others: 45013 in mariadb, -111 in mysql2. */
const OF_SERVER = /^[1-4]\d{3}$/;

/** Numbers of mariadb, whose connection or pool is closed or was never made: nothing was sent. */
const NO_CONNECTION = /^(45012|45013|45027|45028|45029)$/;
/** What mysql2 says of a pool or a connection that takes no statement any more. */
const NO_CONNECTION_WORDS =
  /^(Pool is closed\.|No connections available\.|Queue limit reached\.|Can't add new command when connection is in closed state)/;

/** PlanetScale has the number only in its message. Messages of others can contain the name of a lock. */
function numberOfPlanetscale(error: unknown): string {
  const words = /^target: .*?\(errno (\d{4})\) \(sqlstate \w{5}\)/s.exec(readThrownText(error, 'message'));
  return errorName(error) === 'DatabaseError' ? (words?.[1] ?? '') : '';
}

/** Finds MySQL's number in a chain of errors, else the first code of a client. */
function codeOf(chain: readonly unknown[]): string {
  const numbers = chain.flatMap((one) => [
    String(readThrown(one, 'errno')),
    // Prisma keeps the number as a text, and its driver adapters keep it under another name.
    readThrownText(one, 'code'),
    readThrownText(one, 'originalCode'),
    numberOfPlanetscale(one),
  ]);
  const codes = chain.map((one) => readThrownText(one, 'code'));
  return (
    numbers.find((number) => OF_SERVER.test(number)) ??
    numbers.find((number) => /^45\d{3}$/.test(number)) ??
    codes.find((code) => /^\w{3,}$/.test(code)) ??
    ''
  );
}

export const MYSQL_ERRORS: DatabaseErrors = {
  name: 'MySQL',
  door: 'Mysql',
  meanings: MEANINGS,
  codeOf,
  ofServer: OF_SERVER,
  said: () => undefined,
  isUnconnected: (chain) =>
    NO_CONNECTION.test(codeOf(chain)) ||
    chain.some((one) => NO_CONNECTION_WORDS.test(readThrownText(one, 'message')) && errorName(one) === 'Error'),
};
