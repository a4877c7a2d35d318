/** The versions of packages that the proof fetches when it needs them: no `npm ci` should wait for these. */
export const ON_DEMAND: Readonly<Record<string, string>> = {
  'better-sqlite3': '12.11.1',
  sqlite3: '6.0.1',
  '@prisma/client': '7.10.0',
  '@prisma/adapter-pg': '7.10.1',
  prisma: '7.10.1',
};
