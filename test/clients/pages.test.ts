import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MYSQL_CLIENTS } from './mysql-clients.js';
import { MYSQL_ROWS, POSTGRES_ROWS, pageTable, SQLITE_ROWS } from './pages.js';
import { POSTGRES_CLIENTS } from './postgres-clients.js';
import { SQLITE_CLIENTS } from './sqlite-clients.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe.each([
  ['postgres', POSTGRES_ROWS, POSTGRES_CLIENTS],
  ['mysql', MYSQL_ROWS, MYSQL_CLIENTS],
  ['sqlite', SQLITE_ROWS, SQLITE_CLIENTS],
] as const)('row 142: the page of %s', (store, rows, clients) => {
  const page = read(`docs/stores/${store}.md`);

  test('names every client that is tested, and no other', () => {
    const named = rows.flatMap(({ packages }) => packages);
    expect(new Set(named)).toEqual(new Set(clients.map((client) => client.package)));
  });

  test('shows the versions that are tested, and what is passed', () => {
    expect(page).toContain(`\n${pageTable(rows)}\n`);
  });

  test('shows the functions that are tested', () => {
    expect(page).toContain(`\`\`\`ts\n${read(`test/clients/${store}-functions.ts`)}\`\`\`\n`);
  });
});

test('row 142: docs/reliability.md counts these clients', () => {
  const [postgres, mysql, sqlite] = [POSTGRES_CLIENTS, MYSQL_CLIENTS, SQLITE_CLIENTS].map(({ length }) => length);
  expect(read('docs/reliability.md')).toContain(
    `${postgres} clients of PostgreSQL, ${mysql} of MySQL and ${sqlite} of SQLite`,
  );
});
