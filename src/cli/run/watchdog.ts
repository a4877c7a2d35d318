import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Clock } from '../../index.js';

/*
 * A tiny shell beside the command. It starts before the command, receives the command's process id, and then waits for
 * a word from this process. If this process ends without that word, even by SIGKILL, the shell sends SIGTERM to the
 * command, and SIGKILL 10 s later; to all groups of the session if the command leads one. If this process ends before it
 * has sent the id, the shell finds the command by its environment, on systems that show it (Linux). On a terminal the
 * shell is in the command's process group, and reports signals sent to the whole group, such as by Ctrl-C: the command
 * has already got these signals.
 */
const SCRIPT = `
trap '' PIPE
for signal in INT QUIT HUP TERM USR1 USR2; do trap "echo SIG$signal" $signal; done
exec 3<&0
place=$3
stat() {
  last=
  while read -r line || [ "$line" ]; do last=$line; done <"/proc/$1/stat"
  last=\${last##*) }
}
sessionOf() { stat "$1"; set -- $last; echo "$4"; }
begun() {
  for file in $(grep -lsF -e "$2" /proc/[0-9]*/environ); do
    [ "$(tr '\\000' '\\n' <"$file" | grep -cxF -e "$1" -e "$2")" = 2 ] || continue
    pid=\${file#/proc/} pid=\${pid%/environ}
    [ "$place" = session ] && pid=$(sessionOf "$pid")
    echo "$pid"
    return
  done
}
add() { [ "$4" = "$target" ] || return; case " $targets " in *" -$3 "*) ;; *) targets="$targets -$3" ;; esac; }
find() {
  targets=$target
  [ "$place" = session ] || return
  targets=-$target
  for folder in /proc/[0-9]*; do stat "\${folder#/proc/}"; add $last; done
}
alive() { find; for one in $targets; do kill -s 0 -- "$one" && return; done; return 1; }
until read -r target <&3; do [ $? -lt 128 ] && break; done
if [ "$target" ]; then
  (trap '' INT QUIT HUP TERM USR1 USR2; read -r word) <&3 &
  until wait $!; status=$?; [ $status -lt 128 ]; do :; done
  [ $status -eq 0 ] && exit
fi
for second in 1 2 3 4 5 6 7 8 9 10; do
  [ "$target" ] || target=$(begun "$1" "$2")
  [ "$target" ] && break
  sleep 1
done
[ "$target" ] && alive || exit
kill -s TERM -- $targets
for second in 1 2 3 4 5 6 7 8 9 10; do sleep 1; alive || exit; done
kill -s KILL -- $targets
`;
/** The kernel sends a signal to a whole group at once. Under load the shell may take this long to report it. */
const SAID_WITHIN_MS = 300;

/** The shell that watches over a command. */
export interface Watchdog {
  /** @param pid of the command */
  watch(pid: number): void;
  /**
   * Whether the whole group got this signal, at most 300 ms earlier or later. One word of the shell answers for all
   * equal signals of that time: like the kernel, the shell merges signals that come at once.
   */
  saw(signal: string): Promise<boolean>;
  /** Ends the watch: the command has ended, or never began. */
  dismiss(): void;
}

/**
 * @param place of the command: on a terminal the shell runs in the process group of this process
 * @param marks two environment variables that only the command and its child processes have, as NAME=VALUE
 */
export function startWatchdog(place: 'terminal' | 'session', marks: readonly [string, string], clock: Clock): Watchdog {
  const shell = spawn('sh', ['-c', SCRIPT, 'sh', ...marks, place], {
    detached: place === 'session',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // A system without a shell, such as Windows, has no watchdog.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  const lastSaidMono = new Map<string, number>();
  const waiting = new Set<() => void>();
  createInterface({ input: shell.stdout }).on('line', (signal) => {
    lastSaidMono.set(signal, clock.monotonic());
    for (const look of [...waiting]) look();
  });
  return {
    watch(pid) {
      shell.stdin.write(`${pid}\n`);
    },
    saw: (signal) =>
      new Promise((resolve) => {
        const fromMono = clock.monotonic() - SAID_WITHIN_MS;
        const settle = (isOfGroup: boolean) => {
          waiting.delete(look);
          timer.cancel();
          resolve(isOfGroup);
        };
        const look = () => {
          if ((lastSaidMono.get(signal) ?? Number.NEGATIVE_INFINITY) >= fromMono) settle(true);
        };
        const timer = clock.setTimer(() => settle(false), SAID_WITHIN_MS);
        waiting.add(look);
        look();
      }),
    dismiss() {
      shell.stdin.end('ended\n');
      shell.stdout.destroy();
    },
  };
}
