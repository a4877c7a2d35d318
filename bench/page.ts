import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);
const BY = 'written by `npm run bench`';

/** Writes the first table of docs/benchmarks.md, the machine and the date. */
export const writeCosts = (lines: readonly string[]): Promise<void> => write('Costs', [...lines, '', measuredHere()]);

/** Writes the machine, the date and these lines into docs/benchmarks.md. */
export const writeSection = (lines: readonly string[]): Promise<void> =>
  write('Figures', [measuredHere(), '', ...lines]);

function measuredHere(): string {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  const day = new Date().toISOString().slice(0, 10);
  return `Run on ${day}: ${machine}, Node ${process.version}, all servers on the same machine, whose load average was ${loadavg()[2]?.toFixed(1)} (15 minutes; 2 to 3 is the benchmark's own).`;
}

/** Writes these lines between two marks of the page. */
async function write(what: string, lines: readonly string[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${what}, ${BY}. -->`, `<!-- End of ${what.toLowerCase()}. -->`];
  const [before, after] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (before < begin.length || after < before)
    throw new Error(`docs/benchmarks.md has no place between ${begin} and ${end}`);
  await writeFile(PAGE, `${page.slice(0, before)}\n\n${lines.join('\n').trim()}\n\n${page.slice(after)}`);
}
