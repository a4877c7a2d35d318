// A DynamoDB in memory that needs no Java. Says its port as a line of JSON.
import dynalite from 'dynalite';

const server = dynalite({ createTableMs: 0 }).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ said: 'ready', port: server.address().port })}\n`);
});
