import { startPostgresServer } from '../support/postgres-server.js';
const s = await startPostgresServer();
console.log(s.url);
setInterval(() => {}, 1e6);
