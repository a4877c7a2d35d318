/** Ends a server when stdin closes. That happens however the parent ends: normally, by a signal, or by kill -9. */
export function keep(server, { signal = 'SIGKILL', leave = process.exit } = {}) {
  server.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    leave(1);
  });
  server.on('exit', (code) => leave(code ?? 1));
  const end = () => server.kill(signal);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
  process.stdin.on('end', end).resume();
}
