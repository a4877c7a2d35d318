import type { Command } from './command.js';
import { backfill } from './commands/backfill.js';
import { consoleCommand } from './commands/console.js';
import { deleteLock } from './commands/delete.js';
import { doctor } from './commands/doctor.js';
import { forget } from './commands/forget.js';
import { init } from './commands/init.js';
import { ls } from './commands/ls.js';
import { next } from './commands/next.js';
import { open } from './commands/open.js';
import { pause } from './commands/pause.js';
import { resume } from './commands/resume.js';
import { run } from './commands/run.js';
import { runs } from './commands/runs.js';
import { show } from './commands/show.js';
import { tableCreate } from './commands/table-create.js';
import { unlock } from './commands/unlock.js';
import { why } from './commands/why.js';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ls,
  show,
  runs,
  why,
  unlock,
  pause,
  resume,
  open,
  backfill,
  forget,
  deleteLock,
  run,
  next,
  tableCreate,
  doctor,
  init,
  consoleCommand,
];
