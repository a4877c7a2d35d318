import type { Command } from './command.js';
import { check } from './commands/check.js';
import { consoleCommand } from './commands/console.js';
import { deleteLock } from './commands/delete.js';
import { ls } from './commands/ls.js';
import { next } from './commands/next.js';
import { backfill, forget, open } from './commands/open-ticks.js';
import { pause, resume } from './commands/pause.js';
import { runs, show, why } from './commands/show.js';
import { tableCreate } from './commands/table-create.js';
import { unlock } from './commands/unlock.js';
import { doctor } from './doctor/doctor.js';
import { init } from './init/init.js';
import { run } from './run/run.js';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ls,
  show,
  runs,
  why,
  check,
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
