// Runs dynalite in memory, tells our parent its port, and ends when our stdin closes, which happens however the parent
// ends: normally, by a signal, or by kill -9.
import dynalite from 'dynalite';

const server = dynalite({ createTableMs: 0 }).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${server.address().port}\n`);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit());
process.stdin.on('end', () => process.exit()).resume();
