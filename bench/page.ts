import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);
const BEGIN = '<!-- Written by `npm run bench`. -->';
const END = '<!-- End. -->';

/** Writes the machine, the date and these lines between the two marks of docs/benchmarks.md. */
export async function writeSection(lines: readonly string[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [before, after] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  if (before < BEGIN.length || after < before)
    throw new Error(`docs/benchmarks.md has no place between ${BEGIN} and ${END}`);
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  const day = new Date().toISOString().slice(0, 10);
  const run = `Run on ${day}: ${machine}, Node ${process.version}, all servers on the same machine, whose load average was ${loadavg()[2]?.toFixed(1)} (15 minutes; 2 to 3 is the benchmark's own).`;
  await writeFile(PAGE, `${page.slice(0, before)}\n\n${run}\n\n${lines.join('\n').trim()}\n\n${page.slice(after)}`);
}
