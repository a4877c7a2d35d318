/* What a program of the page finds: its work is a request to the test, which answers it, holds it back, or breaks it off. */

const { fetch } = globalThis;
const { log } = console;
const work = (init) => fetch(process.env['WORK_URL'], { method: 'POST', ...init });

globalThis.fetch = (input, init) =>
  String(input).startsWith('https://example.com/') ? work(init) : fetch(input, init);
console.log = (...values) => (values[0] === 'the digest of' ? work() : log(...values));
